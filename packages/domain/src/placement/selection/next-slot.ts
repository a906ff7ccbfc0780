type Span = Readonly<{ from: number; count: number }>

// Loops without calls: after a call the engine looks up its arrays again, which takes three times
// as long as the comparison.

/** The next place whose value is at least `least`; `count` when there is none. */
export function nextAtLeast(least: number, values: Float64Array, { from, count }: Span): number {
  let place = from
  while (place < count && (values[place] ?? 0) < least) place += 1
  return place
}

/** The next place whose value is at most `most`; `count` when there is none. */
export function nextAtMost(most: number, values: Float64Array, { from, count }: Span): number {
  let place = from
  while (place < count && (values[place] ?? 0) > most) place += 1
  return place
}
