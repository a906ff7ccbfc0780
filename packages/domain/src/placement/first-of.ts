/** Up to here, inserting into a short list is quicker than sorting the long one. */
const INSERTED_MAX = 32

type Order = Readonly<{
  count: number
  max: number
  isBefore(left: number, right: number): boolean
  /** Where known, a higher rank comes before: most need not be compared any further. */
  ranks?: Float64Array
}>

/** The first `max` of the indices 0..count-1, in order: a linear pass while `max` is small. */
export function firstOf({ count, max, isBefore, ranks }: Order): number[] {
  if (max > INSERTED_MAX)
    return Array.from({ length: count }, (_, at) => at)
      .sort((left, right) => (isBefore(left, right) ? -1 : 1))
      .slice(0, max)

  const first: number[] = []
  let bar = Number.NEGATIVE_INFINITY
  for (let at = 0; at < count; at += 1) {
    if (ranks !== undefined && (ranks[at] ?? 0) < bar) continue
    if (first.length === max && !isBefore(at, first[max - 1] ?? at)) continue
    let place = first.length
    while (place > 0 && isBefore(at, first[place - 1] ?? at)) place -= 1
    first.splice(place, 0, at)
    if (first.length > max) first.pop()
    if (first.length === max) bar = ranks?.[first[max - 1] ?? at] ?? bar
  }
  return first
}
