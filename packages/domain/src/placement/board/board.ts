import type { Money } from '../../quantity/money.ts'
import type { Resources } from '../../quantity/resources.ts'

/** Bits of `Board.marks`: a slot with any of them is not a candidate. */
export const Mark = { absent: 1, stale: 2, cordoned: 4, withdrawn: 8 } as const

/** Prices per core-, GiB- and GPU-hour, all in the broker's currency. */
export type Prices = Readonly<{
  cpu?: Money
  memory?: Money
  gpu?: Money
  /** In place of all prices: why they do not count. */
  unpriced?: string
}>

export type ExactFigures = Readonly<{
  allocatable: Resources
  /** Below 0 where the cluster is overcommitted. */
  available: Resources
  cost?: Prices
  /** The most of each resource on a single node, as advertised. Absent: unknown. */
  largestFit?: Resources
  /** The same, less what was granted since it was measured. May be below 0. */
  nodeFit?: Resources
}>

/** One resource over all clusters, by slot. Doubles for speed; `exact` settles ties beyond 2^53. */
export type Column = {
  available: Float64Array
  /** 1/allocatable, 0 where allocatable is 0: a scan multiplies instead of dividing. */
  unitShare: Float64Array
}

/** What measures are made of: what a cluster says of itself, never what it holds. */
export type Advertised = Readonly<{
  allocatable: Resources
  cost?: Prices | undefined
  location?: string | undefined
  labels?: Readonly<Record<string, string>> | undefined
}>

/** One measure over all clusters, by slot. */
export type MeasureColumn = {
  /** 0 where unknown. */
  values: Float64Array
  /** Set in `Board.known` where known: a price of 0 is not a missing price. */
  readonly bit: number
  /** How many slots have the bit. */
  knownCount: number
}

/**
 * The clusters laid out for scanning: a slot for each cluster, a column for each resource and
 * measure. A copy of what the ledger knows, which refreshes it before each decision.
 */
export type Board<M extends string = string> = {
  /** Slots 0..count-1 are in use. */
  readonly count: number
  readonly clusterIds: readonly string[]
  readonly marks: Uint8Array
  /** How many slots have any mark. If 0, filters skip the marks. */
  readonly markedCount: number
  /** Increases with every change other than a holding: scores of an older layout are invalid. */
  readonly layout: number
  /** Slots whose holdings changed, the nth at `nth % slots.length`; `count` never decreases. */
  readonly shifts: Readonly<{ count: number; slots: Int32Array }>
  /** Live reservations on each slot's cluster. Breaks ties. */
  readonly liveCounts: Float64Array
  /** Undefined only if no cluster has any of it. */
  column(resource: string): Column | undefined
  /** Which measures are known of a slot, as bits of `MeasureColumn`. */
  readonly known: Int32Array
  /** Throws if the board has no measure of this name. */
  measure(name: M): MeasureColumn
  slotOf(clusterId: string): number | undefined
  /** The exact figures behind a slot. */
  exact(slot: number): ExactFigures
}
