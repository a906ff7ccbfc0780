export type Summary = Readonly<{ count: number; p50: number; p99: number; max: number }>

export function summarize(samples: ArrayLike<number>): Summary {
  const sorted = Float64Array.from(samples).sort()
  return {
    count: sorted.length,
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    max: percentile(sorted, 1),
  }
}

/** One round that other work disturbed does not decide. */
export function median(values: readonly number[]): number {
  return summarize(values).p50
}

/** The smallest sample that at least `share` of the samples do not exceed. */
function percentile(sorted: Float64Array, share: number): number {
  const place = Math.max(0, Math.ceil(share * sorted.length) - 1)
  return sorted[place] ?? Number.NaN
}
