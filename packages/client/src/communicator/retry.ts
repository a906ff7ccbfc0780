import { setTimeout as sleep } from 'node:timers/promises'
import { BrokerBusy, type BrokerFault, BrokerUnreachable, isUnsent } from './errors.ts'

export type RetryPolicy = Readonly<{
  attemptsMax: number
  /** The first pause is up to this; each further one up to twice the one before. */
  baseMs: number
  capMs: number
  /** No attempt begins later than this after the first. */
  budgetMs: number
}>

/** Time and chance, so that tests can own them. */
export type Clock = {
  now(): number
  random(): number
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export const realClock: Clock = {
  now: Date.now,
  random: Math.random,
  sleep: (ms, signal) => sleep(ms, undefined, signal ? { signal } : {}),
}

/** Enough for one broker to hand over to another. */
export const DEFAULT_RETRY: RetryPolicy = {
  attemptsMax: 8,
  baseMs: 100,
  capMs: 5_000,
  budgetMs: 30_000,
}

/** For watches, which go on until they are aborted. */
export const WITHOUT_END: RetryPolicy = {
  attemptsMax: Number.POSITIVE_INFINITY,
  baseMs: 500,
  capMs: 30_000,
  budgetMs: Number.POSITIVE_INFINITY,
}

export type Persist = <T>(
  attempt: () => Promise<T>,
  options?: { signal?: AbortSignal; mayRepeat?(fault: BrokerFault): boolean | Promise<boolean> },
) => Promise<T>

type Ports = { policy: RetryPolicy; clock: Clock; name(thrown: unknown): BrokerFault }

/** Tries again what is safe to repeat: busy and unreachable pass, everything else does not. */
export function createRetry({ policy, clock, name }: Ports): Persist {
  return async function persist(attempt, { signal, mayRepeat = () => true } = {}) {
    const giveUpAt = clock.now() + policy.budgetMs
    let mayHaveArrived = false
    for (let attempts = 1; ; attempts++) {
      try {
        return await attempt()
      } catch (thrown) {
        signal?.throwIfAborted()
        const fault = name(thrown)
        const pauseMs = pauseAfter(attempts, fault, { policy, random: clock.random })
        const isWorthIt =
          isPassing(fault) &&
          attempts < policy.attemptsMax &&
          clock.now() + pauseMs <= giveUpAt &&
          (await mayRepeat(fault))
        mayHaveArrived ||= !isUnsent(fault)
        if (!isWorthIt) throw mayHaveArrived ? inDoubt(fault) : fault
        await clock.sleep(pauseMs, signal)
      }
    }
  }
}

/** The last attempt was not sent, but an earlier one may have taken effect. */
function inDoubt(fault: BrokerFault): BrokerFault {
  return isUnsent(fault) ? new BrokerUnreachable(fault.message, { cause: fault }) : fault
}

export function isPassing(fault: Error): boolean {
  return fault instanceof BrokerBusy || fault instanceof BrokerUnreachable
}

/**
 * Full jitter: between zero and base · 2^(attempts − 1), so that clients that were cut off together
 * do not retry together. Never before Retry-After.
 */
export function pauseAfter(
  attempts: number,
  fault: Error,
  { policy, random }: { policy: RetryPolicy; random(): number },
): number {
  const ceilingMs = Math.min(policy.capMs, policy.baseMs * 2 ** Math.min(attempts - 1, 30))
  const atLeastMs = fault instanceof BrokerBusy ? (fault.retryAfterMs ?? 0) : 0
  return atLeastMs + Math.floor(random() * ceilingMs)
}
