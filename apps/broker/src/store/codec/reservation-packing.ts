import type { EndReason, HourlyPrice, Leg, Phase, Reservation } from '@bourse/domain/ledger'
import type { Resources } from '@bourse/domain/quantity'
import { encodeAmount, encodeResources, type Stored, type StoredAmount } from './amount-codec.ts'

/**
 * Reservations repeat themselves: the same clusters, doors, sizes and prices. Each distinct value
 * is written once in a table of its part, and a row refers to it by its place there.
 */
export type PackedReservations = Readonly<{
  names: readonly string[]
  vectors: readonly Stored<Resources>[]
  /** Pairs of a name and a vector, flat: [name, vector, name, vector, …]. */
  legs: readonly (readonly number[])[]
  aliases: readonly (readonly string[])[]
  prices: readonly (readonly [perHour: StoredAmount, currency: string])[]
  rows: readonly Row[]
}>

/** In this order; null stands for an absent field, trailing ones are left off. */
export type Row = readonly [
  id: string,
  phase: number,
  requester: number,
  door: number,
  wanted: number,
  legs: number,
  priority: number,
  createdAt: number,
  startsAt: number,
  decidedIndex: number,
  changedIndex: number,
  requestId?: string | null,
  fingerprint?: string | null,
  expiresAt?: number | null,
  price?: number | null,
  activatedAt?: number | null,
  aliases?: number | null,
  pinned?: number | null,
  endedAt?: number | null,
  reason?: number | null,
]

/** How many columns a row may have in each format: new columns take the next format. */
export const ROW_LENGTHS: readonly number[] = [20, 20]

/** The oldest format that has all the columns that these rows use. */
export function formatOf(rows: readonly (readonly unknown[])[], lengths = ROW_LENGTHS): number {
  const longest = rows.reduce((most, { length }) => Math.max(most, length), 0)
  return 1 + lengths.findIndex((length) => length >= longest)
}

/** The places in these lists are the format: append to them, never reorder. */
export const PHASES: readonly Phase[] = ['Pending', 'Reserved', 'Active', 'Released', 'Failed']
export const REASONS: readonly EndReason[] = [
  'Expired',
  'Released',
  'Withdrawn',
  'RequesterGone',
  'Preempted',
]

export function packReservations(reservations: readonly Reservation[]): PackedReservations {
  const names = createTable(
    (name: string) => name,
    (name) => name,
  )
  const vectors = createTable(keyOfVector, encodeResources)
  const legs = createTable(
    (held: readonly Leg[]) => placesOf(held).join(),
    (held) => placesOf(held),
  )
  const aliases = createTable(JSON.stringify, (list: readonly string[]) => list)
  const prices = createTable(
    ({ perHour, currency }: HourlyPrice) => `${perHour} ${currency}`,
    ({ perHour, currency }) => [encodeAmount(perHour), currency] as const,
  )
  const rows = reservations.map((one) =>
    withoutTrailingNulls([
      one.id,
      PHASES.indexOf(one.phase),
      names.place(one.requester),
      names.place(one.door),
      vectors.place(one.wanted),
      legs.place(one.legs),
      one.priority,
      one.createdAt,
      one.startsAt,
      one.decidedIndex,
      one.changedIndex,
      one.requestId ?? null,
      one.fingerprint ?? null,
      one.expiresAt ?? null,
      one.price ? prices.place(one.price) : null,
      one.activatedAt ?? null,
      one.aliases ? aliases.place(one.aliases) : null,
      one.pinned === undefined ? null : names.place(one.pinned),
      one.endedAt ?? null,
      one.reason ? REASONS.indexOf(one.reason) : null,
    ]),
  )
  return {
    names: names.items,
    vectors: vectors.items,
    legs: legs.items,
    aliases: aliases.items,
    prices: prices.items,
    rows,
  }

  function placesOf(held: readonly Leg[]): number[] {
    return held.flatMap((leg) => [names.place(leg.clusterId), vectors.place(leg.resources)])
  }
}

/** Gives each distinct value one place; an object that was seen before is not looked into again. */
function createTable<From, To>(keyOf: (value: From) => string, encode: (value: From) => To) {
  const items: To[] = []
  const places = new Map<string, number>()
  const known = new Map<From, number>()
  return { items, place }

  function place(value: From): number {
    const before = known.get(value)
    if (before !== undefined) return before
    const key = keyOf(value)
    let found = places.get(key)
    if (found === undefined) {
      found = items.push(encode(value)) - 1
      places.set(key, found)
    }
    known.set(value, found)
    return found
  }
}

/** Lengths keep names apart, whatever characters they are made of. */
export function keyOfVector(vector: Readonly<Record<string, bigint | StoredAmount>>): string {
  let key = ''
  for (const name of Object.keys(vector)) key += `${name.length}:${name}=${vector[name]},`
  return key
}

function withoutTrailingNulls(row: Row): Row {
  const last = row.findLastIndex((field) => field !== null)
  // Only optional fields are null, and they come last, so what is left is still a row.
  return row.slice(0, last + 1) as unknown as Row
}
