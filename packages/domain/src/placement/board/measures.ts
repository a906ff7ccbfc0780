import type { Money } from '../../quantity/money.ts'
import type { Advertised, MeasureColumn } from './board.ts'
import { grown } from './columns.ts'

/** A number that a cluster may have beside its resources, in a column of its own on the board. */
export type Measure = Readonly<{
  name: string
  /** Follows from the advertisement alone. Undefined: unknown for this cluster. */
  of(cluster: Advertised): number | undefined
}>

/** All measures. Prices are in billionths per core-, GiB- and GPU-hour. */
export const measures: readonly Measure[] = [
  { name: 'cpu-price', of: ({ cost }) => numberOf(cost?.cpu) },
  { name: 'memory-price', of: ({ cost }) => numberOf(cost?.memory) },
  { name: 'gpu-price', of: ({ cost }) => numberOf(cost?.gpu) },
]

function numberOf(price: Money | undefined): number | undefined {
  return price === undefined ? undefined : Number(price)
}

/** Bits in a slot of `known`. */
const MEASURES_MAX = 32

/** The columns of these measures, by slot. */
export function createMeasureColumns(all: readonly Measure[], capacity: number) {
  if (all.length > MEASURES_MAX) throw new Error(`a board has at most ${MEASURES_MAX} measures`)
  let known = new Int32Array(capacity)
  const columns = all.map((measure, nth) => {
    const column: MeasureColumn = {
      values: new Float64Array(capacity),
      bit: 1 << nth,
      knownCount: 0,
    }
    return { measure, column }
  })
  const byName = new Map(columns.map(({ measure, column }) => [measure.name, column]))

  return { known: () => known, column, set, growTo }

  function column(name: string): MeasureColumn {
    const found = byName.get(name)
    if (!found) throw new Error(`the board has no measure ${name}`)
    return found
  }

  function set(slot: number, cluster: Advertised): void {
    const before = known[slot] ?? 0
    let after = 0
    for (const { measure, column: one } of columns) {
      const value = measure.of(cluster)
      one.values[slot] = value ?? 0
      if (value !== undefined) after |= one.bit
      one.knownCount += Number(value !== undefined) - Number((before & one.bit) !== 0)
    }
    known[slot] = after
  }

  function growTo(size: number): void {
    known = grown(known, new Int32Array(size))
    for (const { column: one } of columns) one.values = grown(one.values, new Float64Array(size))
  }
}
