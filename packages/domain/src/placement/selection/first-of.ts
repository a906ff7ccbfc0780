import { sizeLimits } from '../../limits.ts'
import { nextAtLeast } from './next-slot.ts'

/** The rank of what is never taken. */
export const OUT = Number.NEGATIVE_INFINITY

type Order = Readonly<{
  count: number
  max: number
  isBefore(left: number, right: number): boolean
  /** A higher rank comes before: most need no further comparison. */
  ranks?: Float64Array
}>

export type Ranked = Order & Readonly<{ ranks: Float64Array }>

/** The first `max` of the indices 0..count-1, in order: a linear pass while `max` is small. */
export function firstOf(order: Order): number[] {
  const { count, max, isBefore, ranks } = order
  if (max > sizeLimits.insertedMax) return sorted(order).slice(0, max)
  if (max <= 0) return []
  const first: number[] = []
  let bar = -Number.MAX_VALUE // below every rank but OUT
  for (let at = 0; at < count; at += 1) {
    if (ranks !== undefined) at = nextAtLeast(bar, ranks, { from: at, count })
    if (at === count) break
    if (first.length === max && !isBefore(at, first[max - 1] ?? at)) continue
    insert(first, at, order)
    if (first.length === max) bar = ranks?.[first[max - 1] ?? at] ?? bar
  }
  return first
}

/** By hand: `splice` would take longer than all the comparisons. */
export function insert(first: number[], at: number, { max, isBefore }: Order): void {
  let place = first.length < max ? first.length : max - 1
  for (; place > 0; place -= 1) {
    const before = first[place - 1] ?? at
    if (!isBefore(at, before)) break
    first[place] = before
  }
  first[place] = at
}

function sorted({ count, isBefore, ranks }: Order): number[] {
  return Array.from({ length: count }, (_, at) => at)
    .filter((at) => ranks?.[at] !== OUT)
    .sort((left, right) => (isBefore(left, right) ? -1 : 1))
}
