/** Up to here, inserting into a short list is quicker than sorting the long one. */
const INSERTED_MAX = 32

/** The first `max` of the indices 0..count-1, in order: a linear pass while `max` is small. */
export function firstOf(
  count: number,
  max: number,
  isBefore: (left: number, right: number) => boolean,
): number[] {
  if (max > INSERTED_MAX)
    return Array.from({ length: count }, (_, at) => at)
      .sort((left, right) => (isBefore(left, right) ? -1 : 1))
      .slice(0, max)

  const first: number[] = []
  for (let at = 0; at < count; at += 1) {
    if (first.length === max && !isBefore(at, first[max - 1] ?? at)) continue
    let place = first.length
    while (place > 0 && isBefore(at, first[place - 1] ?? at)) place -= 1
    first.splice(place, 0, at)
    if (first.length > max) first.pop()
  }
  return first
}
