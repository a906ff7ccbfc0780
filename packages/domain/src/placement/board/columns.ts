import { sizeLimits } from '../../limits.ts'
import { amountOf, type Resources } from '../../quantity/resources.ts'
import type { Column, ExactFigures } from './board.ts'

/** Nearly every request names these: they are laid out from the start. */
const USUAL = ['cpu', 'memory'] as const

/**
 * A column is laid out when a request first names its resource, not when a cluster first has it:
 * memory must not grow with every name that clusters advertise.
 */
export function createColumns(figures: readonly ExactFigures[], capacity: number) {
  const columns = new Map<string, { column: Column; askedAt: number }>(
    USUAL.map((name) => [name, { column: emptyColumn(capacity), askedAt: 0 }]),
  )
  let asks = 0

  return { column, setAllocatable, setAvailable, growTo }

  function column(resource: string, size: number): Column | undefined {
    asks += 1
    const known = columns.get(resource)
    if (known) {
      known.askedAt = asks
      return known.column
    }
    const laidOut = layOut(figures, resource, size)
    if (laidOut === undefined) return undefined
    columns.set(resource, { column: laidOut, askedAt: asks })
    if (columns.size > sizeLimits.columnsMax) dropLeastRecent()
    return laidOut
  }

  function dropLeastRecent(): void {
    let least: string | undefined
    let leastAt = Number.POSITIVE_INFINITY
    for (const [name, { askedAt }] of columns) {
      if (askedAt >= leastAt) continue
      least = name
      leastAt = askedAt
    }
    if (least !== undefined) columns.delete(least)
  }

  function setAllocatable(slot: number, allocatable: Resources): void {
    for (const [name, { column: one }] of columns)
      one.unitShare[slot] = unitShareOf(allocatable, name)
  }

  function setAvailable(slot: number, available: Resources): void {
    for (const [name, { column: one }] of columns)
      one.available[slot] = Number(amountOf(available, name))
  }

  function growTo(size: number): void {
    for (const { column: one } of columns.values()) {
      one.unitShare = grown(one.unitShare, new Float64Array(size))
      one.available = grown(one.available, new Float64Array(size))
    }
  }
}

export function grown<T extends Uint8Array | Int32Array | Float64Array>(from: T, into: T): T {
  into.set(from)
  return into
}

function layOut(
  figures: readonly ExactFigures[],
  resource: string,
  capacity: number,
): Column | undefined {
  const isKnown = figures.some(
    ({ allocatable, available }) =>
      amountOf(allocatable, resource) !== 0n || amountOf(available, resource) !== 0n,
  )
  if (!isKnown) return undefined
  const column = emptyColumn(capacity)
  for (const [slot, exact] of figures.entries()) {
    column.unitShare[slot] = unitShareOf(exact.allocatable, resource)
    column.available[slot] = Number(amountOf(exact.available, resource))
  }
  return column
}

function unitShareOf(allocatable: Resources, resource: string): number {
  const amount = amountOf(allocatable, resource)
  return amount > 0n ? 1 / Number(amount) : 0
}

function emptyColumn(capacity: number): Column {
  return { available: new Float64Array(capacity), unitShare: new Float64Array(capacity) }
}
