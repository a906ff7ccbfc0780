import { setTimeout } from 'node:timers/promises'

/** Time and chance; tests use their own. */
export type Clock = {
  /** Milliseconds since 1970, by the wall clock. */
  now(): number
  /** Milliseconds since an arbitrary moment; never goes back. */
  monotonic(): number
  random(): number
  /** Rejects when the signal fires. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: Date.now,
  monotonic: () => performance.now(),
  random: Math.random,
  sleep: (ms, signal) => setTimeout(ms, undefined, signal ? { signal } : {}),
}

export type Backoff = Readonly<{ baseMs: number; capMs: number }>

/**
 * Half of base · 2^(attempts − 1), plus a random part of the other half: callers that were cut off
 * together do not all retry at the same moment, and none retries at once.
 */
export function backoffMs(attempts: number, { baseMs, capMs }: Backoff, random: number): number {
  const ceilingMs = Math.min(capMs, baseMs * 2 ** Math.min(Math.max(attempts, 1) - 1, 30))
  return Math.round(ceilingMs / 2 + random * (ceilingMs / 2))
}

/** Sleeps until the time is up or the signal fires; never rejects for the signal. */
export async function pause(
  clock: Pick<Clock, 'sleep'>,
  ms: number,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return
  await clock.sleep(ms, signal).catch((thrown) => {
    if (!signal.aborted) throw thrown
  })
}
