import { amountOf, clampZero, isZero, type Resources, subtract, sum } from '@bourse/domain/quantity'

/** A piece of room that one placeholder keeps. */
export type Piece = Readonly<{
  name: string
  uid?: string | undefined
  node?: string | undefined
  amounts: Resources
}>

const CORES = 1_000n
const GIB = 1024n ** 3n
/** Small enough to fit beside others, large enough to be few. */
const CPU_MAX = 4n * CORES
const MEMORY_MAX = 16n * GIB
const PIECES_MAX = 100n

/**
 * As many pieces as there are GPUs, each with its part of the rest: room for a pod is a GPU with
 * cores and memory beside it, on one node. Without GPUs, pieces that find a node easily.
 */
export function piecesOf(amounts: Resources): Resources[] {
  const { pods: _, ...room } = amounts
  if (isZero(room)) return []
  const counts = Object.keys(room).map((name) => piecesFor(name, amountOf(room, name)))
  const most = counts.reduce(larger, 1n)
  const count = most < PIECES_MAX ? most : PIECES_MAX
  return Array.from({ length: Number(count) }, (_one, at) => part(room, BigInt(at), count))
}

/** Math.max does not take these. */
function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}

function piecesFor(name: string, amount: bigint): bigint {
  if (name === 'cpu') return (amount + CPU_MAX - 1n) / CPU_MAX
  if (name === 'memory') return (amount + MEMORY_MAX - 1n) / MEMORY_MAX
  // Only what has a domain comes in pieces: bytes of storage are shared out with the rest.
  return name.includes('/') ? amount : 1n
}

/** Whole units; the first parts take what does not divide. */
function part(room: Resources, at: bigint, count: bigint): Resources {
  const share = (name: string) =>
    amountOf(room, name) / count + (at < amountOf(room, name) % count ? 1n : 0n)
  return Object.fromEntries(Object.keys(room).map((name) => [name, share(name)]))
}

/**
 * The fewest pieces on one node that make room for a pod; none if no node has enough of what the
 * pieces are made of. What else is free there is not counted on.
 */
export function roomFor(asked: Resources, pieces: readonly Piece[]): readonly Piece[] {
  const placed = Map.groupBy(pieces, ({ node }) => node)
  placed.delete(undefined)
  const rooms = [...placed.values()].map((there) => firstThatCover(asked, there))
  const enough = rooms.filter((room) => room.length > 0)
  return enough.sort((one, other) => one.length - other.length)[0] ?? []
}

function firstThatCover(asked: Resources, pieces: readonly Piece[]): readonly Piece[] {
  const { pods: _, ...needed } = asked
  const kept = sum(pieces.map(({ amounts }) => amounts))
  // A pod may ask for something that was never reserved; that is not ours to give.
  const names = Object.keys(needed).filter((name) => amountOf(kept, name) > 0n)
  if (names.length === 0) return []
  const helpful = pieces.filter(({ amounts }) => names.some((name) => amountOf(amounts, name) > 0n))
  for (let count = 1; count <= helpful.length; count++) {
    const freed = sum(helpful.slice(0, count).map(({ amounts }) => amounts))
    if (names.every((name) => amountOf(freed, name) >= amountOf(needed, name)))
      return helpful.slice(0, count)
  }
  return []
}

export type Change =
  | Readonly<{ kind: 'add'; amounts: Resources }>
  | Readonly<{ kind: 'remove'; piece: Piece }>
  /** A smaller one in its place. */
  | Readonly<{ kind: 'shrink'; piece: Piece; amounts: Resources }>

/** What turns the pieces that are there into `wanted`, one step at a time; none: they are so. */
export function nextChanges(wanted: Resources, pieces: readonly Piece[]): readonly Change[] {
  const kept = sum(pieces.map(({ amounts }) => amounts))
  const surplus = clampZero(subtract(kept, wanted))
  const last = pieces.findLast(({ amounts }) => touches(amounts, surplus))
  if (last) {
    const { pods: _, ...rest } = clampZero(subtract(last.amounts, surplus))
    if (isZero(rest)) return [{ kind: 'remove', piece: last }]
    return [{ kind: 'shrink', piece: last, amounts: rest }]
  }
  const missing = clampZero(subtract(wanted, kept))
  return piecesOf(missing).map((amounts) => ({ kind: 'add', amounts }))
}

function touches(amounts: Resources, surplus: Resources): boolean {
  return Object.keys(surplus).some(
    (name) => amountOf(surplus, name) > 0n && amountOf(amounts, name) > 0n,
  )
}
