import { type Backoff, backoffMs, type Clock } from '../time/clock.ts'
import { isTransient, isUnauthorized, KubeError } from './errors.ts'
import { wasUnsent } from './faults.ts'

const ATTEMPTS_MAX = 5
const BACKOFF: Backoff = { baseMs: 100, capMs: 5_000 }

export type RetryOptions = Readonly<{
  isRead: boolean
  budgetMs: number
  signal: AbortSignal
  name(thrown: unknown): KubeError
  /** The server answered 401; the next attempt uses fresh credentials. */
  refused(): void
}>

/** Repeats reads, and writes that cannot have happened. */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  clock: Clock,
  { isRead, budgetMs, signal, name, refused }: RetryOptions,
): Promise<T> {
  const giveUpAt = clock.monotonic() + budgetMs
  let wasRefused = false
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt()
    } catch (thrown) {
      signal.throwIfAborted()
      const fault = name(thrown)
      const isRefusal = isUnauthorized(fault)
      const isWorthIt = (isRefusal && !wasRefused) || mayRepeat(fault, isRead)
      if (isRefusal) refused()
      wasRefused ||= isRefusal
      const pauseMs =
        (fault.retryAfterSeconds ?? 0) * 1_000 + backoffMs(attempts, BACKOFF, clock.random())
      const isInTime = attempts < ATTEMPTS_MAX && clock.monotonic() + pauseMs < giveUpAt
      if (!isWorthIt || !isInTime) throw fault
      await clock.sleep(pauseMs, signal).catch(() => signal.throwIfAborted())
    }
  }
}

function mayRepeat(fault: KubeError, isRead: boolean): boolean {
  if (!isTransient(fault)) return false
  if (isRead || wasUnsent(fault)) return true
  // A 429 with a Retry-After is sent before the server does anything.
  return fault.status === 429 && fault.retryAfterSeconds !== undefined
}

/** One signal for all attempts: fires with the caller's, or when the time is up. */
export function withDeadline(
  ms: number,
  signal: AbortSignal | undefined,
  what: string,
): { signal: AbortSignal; [Symbol.dispose](): void } {
  const controller = new AbortController()
  const abort = () => controller.abort(signal?.reason)
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort, { once: true })
  const timer = setTimeout(() => controller.abort(outOfTime(what, ms)), ms)
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    },
  }
}

function outOfTime(what: string, ms: number): KubeError {
  return new KubeError(`${what} was not answered within ${ms} ms (total).`, {
    reason: 'TimedOut',
    timedOut: 'total',
    mayHaveHappened: true,
  })
}
