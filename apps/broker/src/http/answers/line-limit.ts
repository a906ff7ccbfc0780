type Limit = Readonly<{
  /** Lines that may be written at once. */
  burst: number
  /** How many come back. */
  perSecond: number
}>
type Bucket = { lines: number; filledAt: number; unlogged: number }

/** Callers remembered; beyond this all are forgotten, which costs a burst for each at most. */
const CALLERS_MAX = 10_000

/** How many lines about one caller there may be: a log has to outlive a flood. */
export function createLineLimit({ burst, perSecond }: Limit) {
  const buckets = new Map<string, Bucket>()

  /** How many lines were left out before this one; undefined if this one is, too. */
  return function take(caller: string): number | undefined {
    const bucket = filled(caller)
    if (bucket.lines < 1) {
      bucket.unlogged += 1
      return undefined
    }
    const { unlogged } = bucket
    bucket.lines -= 1
    bucket.unlogged = 0
    return unlogged
  }

  function filled(caller: string): Bucket {
    const now = performance.now()
    const known = buckets.get(caller)
    if (known) {
      const elapsedMs = now - known.filledAt
      known.lines = Math.min(burst, known.lines + (elapsedMs * perSecond) / 1_000)
      known.filledAt = now
      return known
    }
    if (buckets.size >= CALLERS_MAX) buckets.clear()
    const bucket = { lines: burst, filledAt: now, unlogged: 0 }
    buckets.set(caller, bucket)
    return bucket
  }
}
