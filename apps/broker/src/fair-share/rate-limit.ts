import { TOKENS_PER_MS } from './price.ts'

export type Rate = Readonly<{ perSecond: number; burst: number }>

type Bucket = { tokens: number; filledAt: number }

/** Callers remembered; beyond this the full buckets, which say nothing, are forgotten. */
const BUCKETS_MAX = 50_000

export type RateLimit = {
  /** Takes the price of a request; otherwise the seconds to wait until the caller can pay it. */
  take(caller: string, price?: number): number | undefined
  /** Whether the caller could not pay the price now. */
  lacks(caller: string, price: number): boolean
  /** Takes tokens for what was done; the caller may fall into debt. */
  spend(caller: string, tokens: number): void
  /** The same, by the time it took the event loop. */
  charge(caller: string, elapsedMs: number): void
}

/** A token bucket for each caller: a flood of one caller does not slow the others. */
export function createRateLimit(rate: Rate | undefined, now: () => number): RateLimit {
  if (!rate) return { take: () => undefined, lacks: () => false, spend() {}, charge() {} }
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

  function take(caller: string, price = 1): number | undefined {
    const bucket = bucketOf(caller)
    const needed = neededFor(price)
    if (bucket.tokens < needed) return Math.max(1, Math.ceil((needed - bucket.tokens) / perSecond))
    bucket.tokens = Math.max(-burst, bucket.tokens - price)
    return undefined
  }

  /** A request that costs more than a burst passes with a full bucket; otherwise it never would. */
  function neededFor(price: number): number {
    return Math.min(price, burst)
  }

  function spend(caller: string, tokens: number): void {
    // Debt is limited: one expensive question must not lock a caller out for minutes.
    const bucket = bucketOf(caller)
    bucket.tokens = Math.max(-burst, bucket.tokens - tokens)
  }

  return {
    take,
    lacks: (caller, price) => bucketOf(caller).tokens < neededFor(price),
    spend,
    charge: (caller, elapsedMs) => spend(caller, elapsedMs * TOKENS_PER_MS),
  }
}
