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

/** Of rounds: one round that somebody else's work disturbed does not decide. */
export function median(values: readonly number[]): number {
  return summarize(values).p50
}

/** The smallest sample that is not below `share` of them. */
function percentile(sorted: Float64Array, share: number): number {
  const place = Math.max(0, Math.ceil(share * sorted.length) - 1)
  return sorted[place] ?? Number.NaN
}
