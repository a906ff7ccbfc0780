import { amountOf, type Resources } from '../quantity/resources.ts'
import { type Board, type Column, type ExactFigures, Mark, type Prices } from './board.ts'

/** All that placement knows of a cluster. Kept by reference: never change it afterwards. */
export type ClusterFacts = Readonly<{
  marks: number
  liveCount: number
  allocatable: Resources
  available: Resources
  cost?: Prices | undefined
}>

export type WritableBoard = Board & {
  /** Adds a cluster or replaces all that is known of it; returns its slot. */
  place(clusterId: string, facts: ClusterFacts): number
  /** The cheap way for what a reservation changes. */
  setHolding(slot: number, available: Resources, liveCount: number): void
  setMarks(slot: number, marks: number): void
  /** Its slot is free for the next cluster. */
  remove(clusterId: string): void
}

const FIRST_CAPACITY = 64
/** More resources than people ask for; a column costs 16 bytes a cluster. */
const COLUMNS_MAX = 64
const NOTHING: ExactFigures = { allocatable: {}, available: {} }

export function createBoard(): WritableBoard {
  const clusterIds: string[] = []
  const figures: ExactFigures[] = []
  const slots = new Map<string, number>()
  const freeSlots: number[] = []
  /** The least recently asked for first. */
  const columns = new Map<string, Column>()
  let marks = new Uint8Array(FIRST_CAPACITY)
  let liveCounts = new Float64Array(FIRST_CAPACITY)
  const prices = {
    cpu: new Float64Array(FIRST_CAPACITY),
    memory: new Float64Array(FIRST_CAPACITY),
    gpu: new Float64Array(FIRST_CAPACITY),
  }

  return {
    get count() {
      return clusterIds.length
    },
    get marks() {
      return marks
    },
    get liveCounts() {
      return liveCounts
    },
    clusterIds,
    prices,
    column,
    slotOf: (clusterId) => slots.get(clusterId),
    exact: (slot) => figures[slot] ?? NOTHING,
    place,
    setHolding,
    setMarks,
    remove,
  }

  function place(clusterId: string, facts: ClusterFacts): number {
    const slot = slots.get(clusterId) ?? takeSlot(clusterId)
    const { allocatable, available, cost } = facts
    figures[slot] = cost ? { allocatable, available, cost } : { allocatable, available }
    marks[slot] = facts.marks
    for (const [name, column] of columns)
      column.allocatable[slot] = Number(amountOf(allocatable, name))
    prices.cpu[slot] = Number(cost?.cpu ?? Number.NaN)
    prices.memory[slot] = Number(cost?.memory ?? Number.NaN)
    prices.gpu[slot] = Number(cost?.gpu ?? Number.NaN)
    setHolding(slot, available, facts.liveCount)
    return slot
  }

  function setHolding(slot: number, available: Resources, liveCount: number): void {
    const { allocatable, cost } = figures[slot] ?? NOTHING
    figures[slot] = cost ? { allocatable, available, cost } : { allocatable, available }
    liveCounts[slot] = liveCount
    for (const [name, column] of columns) column.available[slot] = Number(amountOf(available, name))
  }

  function setMarks(slot: number, next: number): void {
    marks[slot] = next
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
    prices.cpu = grown(prices.cpu, new Float64Array(capacity))
    prices.memory = grown(prices.memory, new Float64Array(capacity))
    prices.gpu = grown(prices.gpu, new Float64Array(capacity))
    for (const column of columns.values()) {
      column.allocatable = grown(column.allocatable, new Float64Array(capacity))
      column.available = grown(column.available, new Float64Array(capacity))
    }
  }

  /**
   * Columns are laid out when a request first asks for them, not when a cluster first has them:
   * clusters may name what they like, and memory must not grow with every name.
   */
  function column(resource: string): Column | undefined {
    const known = columns.get(resource) ?? layOut(resource)
    if (known === undefined) return undefined
    columns.delete(resource)
    columns.set(resource, known)
    for (const oldest of columns.keys()) {
      if (columns.size <= COLUMNS_MAX) break
      columns.delete(oldest)
    }
    return known
  }

  function layOut(resource: string): Column | undefined {
    const isKnown = figures.some(
      ({ allocatable, available }) =>
        amountOf(allocatable, resource) !== 0n || amountOf(available, resource) !== 0n,
    )
    if (!isKnown) return undefined
    const allocatable = new Float64Array(marks.length)
    const available = new Float64Array(marks.length)
    for (const [slot, exact] of figures.entries()) {
      allocatable[slot] = Number(amountOf(exact.allocatable, resource))
      available[slot] = Number(amountOf(exact.available, resource))
    }
    return { allocatable, available }
  }
}

function grown<T extends Uint8Array | Float64Array>(from: T, into: T): T {
  into.set(from)
  return into
}
