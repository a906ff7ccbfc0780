export type Rate = Readonly<{ perSecond: number; burst: number }>

type Bucket = { tokens: number; filledAt: number }

/** Callers remembered; beyond this the full buckets, which say nothing, are forgotten. */
const BUCKETS_MAX = 50_000
/** Evaluations are counted by the time they take: a millisecond is worth this many requests. */
const TOKENS_PER_MS = 4

export type RateLimit = {
  /** Takes one token; otherwise the seconds to wait until there is one. */
  take(caller: string): number | undefined
  /** Charges work after it was done; the caller may fall into debt. */
  charge(caller: string, elapsedMs: number): void
}

/** A token bucket a caller: one that storms is slowed down, the others do not notice. */
export function createRateLimit(rate: Rate | undefined, now: () => number): RateLimit {
  if (!rate) return { take: () => undefined, charge() {} }
  const { perSecond, burst } = rate
  const buckets = new Map<string, Bucket>()

  function bucketOf(caller: string): Bucket {
    const at = now()
    const known = buckets.get(caller)
    if (known) return fill(known, at)
    if (buckets.size >= BUCKETS_MAX) forgetFull(at)
    const bucket = { tokens: burst, filledAt: at }
    buckets.set(caller, bucket)
    return bucket
  }

  function fill(bucket: Bucket, at: number): Bucket {
    const elapsedMs = Math.max(0, at - bucket.filledAt)
    bucket.tokens = Math.min(burst, bucket.tokens + (elapsedMs * perSecond) / 1_000)
    bucket.filledAt = at
    return bucket
  }

  function forgetFull(at: number): void {
    for (const [caller, bucket] of buckets)
      if (fill(bucket, at).tokens >= burst) buckets.delete(caller)
  }

  function take(caller: string): number | undefined {
    const bucket = bucketOf(caller)
    if (bucket.tokens < 1) return Math.max(1, Math.ceil((1 - bucket.tokens) / perSecond))
    bucket.tokens -= 1
    return undefined
  }

  function charge(caller: string, elapsedMs: number): void {
    // Debt has a floor: one dear question must not lock a caller out for minutes.
    const bucket = bucketOf(caller)
    bucket.tokens = Math.max(-burst, bucket.tokens - elapsedMs * TOKENS_PER_MS)
  }
  return { take, charge }
}
