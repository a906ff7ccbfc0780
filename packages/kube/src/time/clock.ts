import { setTimeout } from 'node:timers/promises'

/** Time and chance, so that tests can own them. */
export type Clock = {
  /** Milliseconds since 1970, by the wall clock. */
  now(): number
  /** Milliseconds since some moment, never set back. */
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
 * Half of base · 2^(attempts − 1) for sure and the other half by chance: those cut off together
 * do not come back together, and nobody comes back at once.
 */
export function backoffMs(attempts: number, { baseMs, capMs }: Backoff, random: number): number {
  const ceilingMs = Math.min(capMs, baseMs * 2 ** Math.min(Math.max(attempts, 1) - 1, 30))
  return Math.round(ceilingMs / 2 + random * (ceilingMs / 2))
}

/** Sleeps, and wakes early without complaint when the signal fires. */
export async function pause(
  clock: Pick<Clock, 'sleep'>,
  ms: number,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return
  await clock.sleep(ms, signal).then(undefined, (thrown) => {
    if (!signal.aborted) throw thrown
  })
}
