import type { Advertisement, Command } from '@bourse/domain/ledger'
import type { Candidate, Prices, Weights } from './ranking.ts'

/** What the model remembers: plain values, every sum taken anew. Written from the contract. */
export type World = {
  readonly settings: Settings
  rates: ReadonlyMap<string, bigint>
  now: number
  index: number
  /** Who gives the command. Absent while deadlines run. */
  by: Command['by'] | undefined
  readonly clusters: Map<string, Supply>
  /** Every reservation that the exchange still knows of, by id. */
  readonly grants: Map<string, Grant>
  /** Those of them that hold something: live ones and draining ones. */
  readonly holding: Set<Grant>
  /** By door, requester and request id. */
  readonly requests: Map<string, Grant>
  readonly buried: Set<string>
  /** When each requester was last heard. */
  readonly heard: Map<string, number>
  readonly sessions: Map<string, Session>
  lastNumber: number
  /** What a replay of the journal, and of the last snapshot with what followed, would know. */
  origin: Durable
  saved: Durable | undefined
  /** What has happened in this step, as `effectOf` tells an event. */
  effects: string[]
}
export type Settings = Readonly<{
  weights: Weights
  currency: string
  staleAfterMs: number
  drainTimeoutMs: number
  reclaimAfterMs: number
  peeringsMax: number
}>
export type Supply = {
  readonly clusterId: string
  door: string
  facts: Advertisement
  /** The last index that the agent had seen when it measured its nodes. */
  seen: number
  accepting: Candidate['accepting']
  withdrawnAt?: number | undefined
  isStale: boolean
  heardAt: number
}
export type Grant = {
  readonly id: string
  readonly requester: string
  readonly scope: string | undefined
  fingerprint: string | undefined
  readonly wanted: Readonly<Record<string, bigint>>
  readonly clusterId: string
  phase: 'Reserved' | 'Active' | 'Released'
  readonly createdAt: number
  expiresAt: number | undefined
  endedAt: number
  reason: string
  isDraining: boolean
  readonly decidedIndex: number
  changedIndex: number
  /** False once memory has dropped it: only the history has it then. */
  isInMemory: boolean
}
export type Session = {
  readonly id: string
  readonly requester: string
  readonly provider: string
  readonly networking: string
  state: 'open' | 'established' | 'closing'
  messages: Record<string, string>
  readonly postedAt: Record<string, number>
  readonly trouble: Record<string, unknown>
  readonly openedAt: number
  expiresAt: number | undefined
}
/** Heartbeats that were journaled, and the reservations that a replay finds. */
export type Durable = Readonly<{
  clusters: Map<string, number>
  requesters: Map<string, number>
  known: Set<string>
}>
export type CommandOf<K extends Command['kind']> = Extract<Command, { kind: K }>

export const noDurable = (): Durable => ({
  clusters: new Map(),
  requesters: new Map(),
  known: new Set(),
})

export const isLive = ({ phase }: Grant) => phase !== 'Released'

export function durables({ origin, saved }: World): readonly Durable[] {
  return saved ? [origin, saved] : [origin]
}

export function heldOn({ holding }: World, clusterId: string): Grant[] {
  const held: Grant[] = []
  for (const grant of holding) if (grant.clusterId === clusterId) held.push(grant)
  return held
}

/** contract §2: allocatable − allocated − Σ max(0, reserved − used), for each resource. */
export function freeOf(world: World, { clusterId, facts }: Supply): Record<string, bigint> {
  const reserved = reservedOf(world, clusterId)
  const free: Record<string, bigint> = {}
  for (const name in { ...facts.allocatable, ...reserved })
    free[name] =
      (facts.allocatable[name] ?? 0n) - (facts.allocated[name] ?? 0n) - (reserved[name] ?? 0n)
  return free
}

export function reservedOf(world: World, clusterId: string): Record<string, bigint> {
  const used = world.clusters.get(clusterId)?.facts.used ?? {}
  const reserved: Record<string, bigint> = {}
  for (const { id, wanted } of heldOn(world, clusterId))
    for (const name in wanted) {
      const rest = (wanted[name] ?? 0n) - (used[id]?.[name] ?? 0n)
      reserved[name] = (reserved[name] ?? 0n) + (rest > 0n ? rest : 0n)
    }
  return reserved
}

/** What the largest node has free, less what was granted since it was measured. */
function nodeFreeOf(world: World, { clusterId, facts, seen }: Supply) {
  if (!facts.largestFit) return undefined
  const free: Record<string, bigint> = { ...facts.largestFit }
  for (const { decidedIndex, wanted } of heldOn(world, clusterId))
    for (const name in free)
      if (decidedIndex > seen) free[name] = (free[name] ?? 0n) - (wanted[name] ?? 0n)
  return free
}

export function candidatesOf(world: World): Candidate[] {
  return [...world.clusters.values()].map((supply) => ({
    clusterId: supply.clusterId,
    isStale: supply.isStale,
    accepting: supply.accepting,
    allocatable: supply.facts.allocatable,
    free: freeOf(world, supply),
    nodeFree: nodeFreeOf(world, supply),
    prices: pricesOf(world, supply),
    live: heldOn(world, supply.clusterId).filter(isLive).length,
  }))
}

/** In the broker's currency, rounded up to a billionth. Undefined: none that count. */
export function pricesOf({ settings, rates }: World, { facts }: Supply): Prices | undefined {
  if (!facts.cost) return undefined
  const { currency, ...prices } = facts.cost
  if (currency === settings.currency) return prices
  const rate = rates.get(currency)
  if (rate === undefined) return undefined
  const all = Object.entries(prices).map(([name, price]) => [
    name,
    (price * rate + 999_999_999n) / 1_000_000_000n,
  ])
  return Object.fromEntries(all)
}
