import type { Resources } from '../../quantity/resources.ts'

/** Why a cluster was refused, the most useful reason first. */
export const REFUSAL_CODES = [
  'NoNodeFits',
  'Insufficient',
  'Stale',
  'Cordoned',
  'Withdrawn',
  'NotTheTarget',
  'IsRequester',
] as const

export type RefusalCode = (typeof REFUSAL_CODES)[number]

export type RefusalCounts = Readonly<Partial<Record<RefusalCode, number>>>

/** What placement reads of a request. */
export type PlacementRequest = Readonly<{
  requester: string
  wanted: Resources
  pinned?: string
  /** All of it must fit on a single node. */
  oneNode?: true
}>

/** A field of a request that a filter or a scorer reads. */
export type Need = keyof PlacementRequest

export type Scored = Readonly<{
  clusterId: string
  /** 0 to 100, two decimals. */
  score: number
  /** Each scorer's 0 to 100, by its name. A scorer that does not apply is absent. */
  parts: Readonly<Record<string, number>>
}>

/** What the journal keeps of a decision: enough to explain it without a replay. */
export type DecisionSummary = Readonly<{
  policy: string
  /** The best five, the chosen one first. */
  best: readonly Scored[]
  /** How many clusters were refused, by reason. */
  refused: RefusalCounts
  /** The rates by which prices were converted, as `EUR=1.08`. Absent: none was. */
  rates?: string
}>

/** One cluster's row in the full table. */
export type RankingRow = Readonly<{
  clusterId: string
  verdict: 'chosen' | 'candidate' | 'refused'
  refusal?: RefusalCode
  /**
   * The resources that did not fit, with numbers. Where no node fits, `available` is what one has.
   */
  shortfalls?: readonly Readonly<{ resource: string; wanted: bigint; available: bigint }>[]
  scored?: Scored
  allocatable: Resources
  available: Resources
  /**
   * What the cluster says is free on a single node, of the wanted resources for which that is less
   * than wanted.
   */
  largestNode?: Resources
  /** What this request would cost there an hour, in billionths; absent if unpriced. */
  pricePerHour?: bigint
  /** Why its prices do not count, if they do not. */
  unpriced?: string
  /** The amounts are rounded down: the cluster hides its numbers from the reader. */
  isCoarse?: true
}>

/**
 * The whole table: candidates, best first, then the refused, in the order of `REFUSAL_CODES` and by
 * cluster id.
 */
export type Ranking = Readonly<{
  policy: string
  request: PlacementRequest
  rows: readonly RankingRow[]
  /** Clusters beyond `rowsMax`. Absent: there are none. */
  leftOut?: Readonly<{ candidates: number; refused: RefusalCounts }>
}>
