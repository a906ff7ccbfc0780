/**
 * What the dashboard's server tells its page. Types only, so that the page carries no schema.
 *
 * Amounts and prices are numbers here, in the domain's base units (cpu in thousandths of a core,
 * bytes, pieces) and in whole currency: figures for the eye, never for arithmetic that grants.
 */
export type Amounts = Readonly<Record<string, number>>

/**
 * One resource of one cluster, or of all. The four parts add up to what is allocatable, or to more
 * where more is held than there is; then nothing is available.
 */
export type ResourceLine = Readonly<{
  allocatable: number
  /** Pods of the cluster itself. */
  own: number
  /** Pods that run for a reservation. */
  used: number
  /** Held for reservations and not used yet. */
  reserved: number
  available: number
}>

/** A resource over all clusters. `outOfReach`: free, but on a cluster that takes nothing new. */
export type TotalLine = ResourceLine & Readonly<{ outOfReach: number }>

export type Prices = Readonly<{ cpu?: number; memory?: number; gpu?: number; currency: string }>

/** Contract §3: 90-100 excellent, 70-89 good, 50-69 moderate, below limited. */
export type Band = 'excellent' | 'good' | 'moderate' | 'limited'

export type ClusterCard = Readonly<{
  clusterId: string
  name: string
  location?: string
  labels?: Readonly<Record<string, string>>
  /** How many GPUs of which model. */
  gpuModels?: Readonly<Record<string, number>>
  accepting: 'open' | 'cordoned' | 'withdrawn'
  isStale: boolean
  isOvercommitted: boolean
  /** When what it holds ends, once it is withdrawn. */
  withdrawnAt?: number
  /** When its last advertisement arrived, in the broker's time. */
  advertisedAt: number
  /** Base score without a request, 0 to 100. */
  baseScore: number
  band: Band
  liveCount: number
  resources: Readonly<Record<string, ResourceLine>>
  prices?: Prices
  /** Why the prices do not count, if they do not. */
  unpriced?: string
}>

export type ReservationRow = Readonly<{
  id: string
  requester: string
  providers: readonly string[]
  wanted: Amounts
  phase: 'Pending' | 'Reserved' | 'Active' | 'Released' | 'Failed'
  priority: number
  createdAt: number
  startsAt: number
  expiresAt?: number
  pricePerHour?: number
  currency?: string
}>

export type ScoredCluster = Readonly<{
  clusterId: string
  score: number
  /** Each scorer's own 0 to 100, by its name. */
  parts: Readonly<Record<string, number>>
}>

type Decided = Readonly<{ id: string; at: number; requester: string; wanted: Amounts }>

/** One line of the stream. `id` is the reservation's, or a refused request's own. */
export type DecisionLine =
  | (Decided &
      Readonly<{
        kind: 'reserved'
        /** The best five, the winner first. */
        best: readonly ScoredCluster[]
        refused: Readonly<Record<string, number>>
      }>)
  | (Decided & Readonly<{ kind: 'refused'; refused: Readonly<Record<string, number>> }>)
  | (Decided &
      Readonly<{
        kind: 'ended'
        reason: string
        providers: readonly string[]
        /** Who ended it, where that was neither its requester nor the broker; and why. */
        by?: string
        why?: string
      }>)

/** What the running auditor found last. */
export type AuditState = Readonly<{
  verdict: 'sound' | 'unsound' | 'unknown'
  detail: string
  checkedAt?: number
}>

export type Overview = Readonly<{
  ledgerId: string
  index: number
  now: number
  audit: AuditState
  totals: Readonly<Record<string, TotalLine>>
  clusters: readonly ClusterCard[]
  clusterCount: number
  /** The newest live ones, newest first; `liveCount` counts all. */
  reservations: readonly ReservationRow[]
  liveCount: number
  /** Newest first. */
  decisions: readonly DecisionLine[]
}>

type InEveryFrame = 'index' | 'now' | 'liveCount'

/** What changed since the frame before; absent means unchanged. */
export type OverviewUpdate = Pick<Overview, InEveryFrame> &
  Partial<Omit<Overview, InEveryFrame | 'ledgerId'>> &
  Readonly<{
    /** When clusters were heard, by id: a heartbeat changes nothing else. */
    heard?: Readonly<Record<string, number>>
    /** Ids of reservations that are not live any more. */
    ended?: readonly string[]
  }>

export type ExplainedRow = Readonly<{
  clusterId: string
  verdict: 'chosen' | 'candidate' | 'refused'
  refusal?: string
  shortfalls?: readonly Readonly<{ resource: string; wanted: number; available: number }>[]
  score?: number
  band?: Band
  parts?: Readonly<Record<string, number>>
  /** The figures below are known while the full table can be recomputed. */
  allocatable?: Amounts
  available?: Amounts
  /** No single node has as much free as wanted: what the largest has. */
  largestNode?: Amounts
  pricePerHour?: number
  /** Why its prices do not count, if they do not. */
  unpriced?: string
}>

/** Why: each cluster, each verdict, each score. */
export type Explained = Readonly<{
  id: string
  outcome: 'reserved' | 'refused'
  at: number
  index: number
  requester: string
  wanted: Amounts
  pinned?: string
  /** All of it was to fit on a single node. */
  oneNode?: true
  policy: string
  /** The sum behind the best score, and what put it before the next. */
  why?: string
  /** Of every price in the table. */
  currency: string
  reservation?: ReservationRow
  /** Best first, then the refused; `rowCount` counts also those left out. */
  rows: readonly ExplainedRow[]
  rowCount: number
  refused: Readonly<Record<string, number>>
  /** false: only the best five and the counts are kept of this decision. */
  isComplete: boolean
}>
