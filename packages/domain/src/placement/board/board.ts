import type { Money } from '../../quantity/money.ts'
import type { Resources } from '../../quantity/resources.ts'

/** What a slot's cluster may be passed over for, as bits in `Board.marks`. */
export const Mark = { absent: 1, stale: 2, cordoned: 4, withdrawn: 8 } as const

/** Prices per core-, GiB- and GPU-hour, all in the broker's currency. */
export type Prices = Readonly<{ cpu?: Money; memory?: Money; gpu?: Money }>

export type ExactFigures = Readonly<{
  allocatable: Resources
  /** Below zero where a cluster is overcommitted. */
  available: Resources
  cost?: Prices
}>

/** One resource over all clusters, by slot. Doubles for speed; `exact` settles ties beyond 2^53. */
export type Column = {
  available: Float64Array
  /** 1/allocatable, 0 where there is nothing: a scan multiplies where it would have to divide. */
  unitShare: Float64Array
}

/** What measures are made of: what a cluster says of itself, never what it holds. */
export type Advertised = Readonly<{
  allocatable: Resources
  /** Only in the broker's currency: other prices cannot be compared. */
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
 * The clusters laid out for scanning: a slot a cluster, a column a resource. It is a copy that the
 * ledger refreshes whenever a cluster changes; the truth stays with the ledger.
 */
export type Board<M extends string = string> = {
  /** Slots 0..count-1 are in use. */
  readonly count: number
  readonly clusterIds: readonly string[]
  readonly marks: Uint8Array
  /** How many slots have any mark: where none has, nobody needs to look through them. */
  readonly markedCount: number
  /** Counts whatever changes beside holdings: who remembers older scores has to begin anew. */
  readonly layout: number
  /** Slots whose holdings changed, the nth at `nth % slots.length`: the latest of `count` in all. */
  readonly shifts: Readonly<{ count: number; slots: Int32Array }>
  /** Live reservations a cluster holds, for breaking ties. */
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
