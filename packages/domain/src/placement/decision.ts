import type { Resources } from '../quantity/resources.ts'

export type RefusalCode =
  | 'IsRequester'
  | 'NotTheTarget'
  | 'Stale'
  | 'Cordoned'
  | 'Withdrawn'
  | 'Insufficient'

/** What placement needs to know of a request. */
export type PlacementRequest = Readonly<{
  requester: string
  wanted: Resources
  pinned?: string
}>

export type Scored = Readonly<{
  clusterId: string
  /** 0 to 100, two decimals. */
  score: number
  /** Each scorer's own 0 to 100, by its name; a scorer that dropped out is absent. */
  parts: Readonly<Record<string, number>>
}>

/** What the journal keeps of a decision: enough to explain it without replay. */
export type DecisionSummary = Readonly<{
  policy: string
  /** The best five, the winner first. */
  best: readonly Scored[]
  /** How many clusters were refused, by reason. */
  refused: Readonly<Partial<Record<RefusalCode, number>>>
}>

/** One cluster's row in the full table. */
export type RankingRow = Readonly<{
  clusterId: string
  verdict: 'chosen' | 'candidate' | 'refused'
  refusal?: RefusalCode
  /** The resources that did not fit, with numbers. */
  shortfalls?: readonly Readonly<{ resource: string; wanted: bigint; available: bigint }>[]
  scored?: Scored
  /** Base score without a request, 0 to 100. */
  baseScore: number
  allocatable: Resources
  available: Resources
  /** What this request would cost there an hour, in billionths; absent if unpriced. */
  pricePerHour?: bigint
}>

/** The whole table: candidates best first, then the refused by cluster id. */
export type Ranking = Readonly<{
  policy: string
  request: PlacementRequest
  rows: readonly RankingRow[]
}>
