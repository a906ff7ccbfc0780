import { sizeLimits } from '../../limits.ts'
import type { Resources } from '../../quantity/resources.ts'
import { type Advertised, type Board, type ExactFigures, Mark } from './board.ts'
import { createColumns, grown } from './columns.ts'
import { measures as allMeasures, createMeasureColumns } from './measures.ts'

/** What a reservation changes. Kept by reference: must not change afterwards. */
export type Holding = Readonly<{
  liveCount: number
  available: Resources
  nodeFit?: Resources | undefined
}>

/** All that placement knows of a cluster. Kept by reference, too. */
export type ClusterFacts = Advertised &
  Holding &
  Readonly<{ marks: number; largestFit?: Resources | undefined }>

export type WritableBoard = Board & {
  /** Adds a cluster or replaces all that is known of it; returns its slot. */
  place(clusterId: string, facts: ClusterFacts): number
  /** Sets only what a reservation changes: cheaper than `place`. */
  setHolding(slot: number, holding: Holding): void
  /** Frees its slot for the next cluster. */
  remove(clusterId: string): void
}

const NOTHING: ExactFigures = { allocatable: {}, available: {} }

export function createBoard(measures = allMeasures): WritableBoard {
  const clusterIds: string[] = []
  const figures: ExactFigures[] = []
  const slots = new Map<string, number>()
  const freeSlots: number[] = []
  const { firstSlots, shiftsKept } = sizeLimits
  const columns = createColumns(figures, firstSlots)
  const measureColumns = createMeasureColumns(measures, firstSlots)
  let marks = new Uint8Array(firstSlots)
  let markedCount = 0
  let layout = 0
  const shifts = { count: 0, slots: new Int32Array(shiftsKept) }
  let liveCounts = new Float64Array(firstSlots)

  return {
    get count() {
      return clusterIds.length
    },
    get marks() {
      return marks
    },
    get markedCount() {
      return markedCount
    },
    get layout() {
      return layout
    },
    shifts,
    get liveCounts() {
      return liveCounts
    },
    clusterIds,
    column: (resource) => columns.column(resource, marks.length),
    get known() {
      return measureColumns.known()
    },
    measure: measureColumns.column,
    slotOf: (clusterId) => slots.get(clusterId),
    exact: (slot) => figures[slot] ?? NOTHING,
    place,
    setHolding,
    remove,
  }

  function place(clusterId: string, facts: ClusterFacts): number {
    const slot = slots.get(clusterId) ?? takeSlot(clusterId)
    const { allocatable, available, cost, largestFit } = facts
    figures[slot] = {
      allocatable,
      available,
      ...(cost && { cost }),
      ...(largestFit && { largestFit }),
    }
    markedCount += Number(facts.marks !== 0) - Number(marks[slot] !== 0)
    marks[slot] = facts.marks
    columns.setAllocatable(slot, allocatable)
    measureColumns.set(slot, facts)
    hold(slot, facts)
    layout += 1
    return slot
  }

  function setHolding(slot: number, holding: Holding): void {
    hold(slot, holding)
    shifts.slots[shifts.count % shiftsKept] = slot
    shifts.count += 1
  }

  function hold(slot: number, { available, liveCount, nodeFit }: Holding): void {
    const { allocatable, cost, largestFit } = figures[slot] ?? NOTHING
    const now: { -readonly [Key in keyof ExactFigures]: ExactFigures[Key] } = {
      allocatable,
      available,
    }
    if (cost) now.cost = cost
    if (largestFit) now.largestFit = largestFit
    if (nodeFit) now.nodeFit = nodeFit
    figures[slot] = now
    liveCounts[slot] = liveCount
    columns.setAvailable(slot, available)
  }

  function remove(clusterId: string): void {
    const slot = slots.get(clusterId)
    if (slot === undefined) return
    place(clusterId, { ...NOTHING, marks: Mark.absent, liveCount: 0 })
    slots.delete(clusterId)
    freeSlots.push(slot)
  }

  function takeSlot(clusterId: string): number {
    const slot = freeSlots.pop() ?? clusterIds.length
    if (slot === marks.length) growTo(2 * slot)
    clusterIds[slot] = clusterId
    slots.set(clusterId, slot)
    return slot
  }

  function growTo(capacity: number): void {
    marks = grown(marks, new Uint8Array(capacity))
    liveCounts = grown(liveCounts, new Float64Array(capacity))
    columns.growTo(capacity)
    measureColumns.growTo(capacity)
  }
}
