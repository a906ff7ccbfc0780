import type { Stamp, Waiting, WatchOptions } from './broker-communicator.ts'
import { type Clock, isPassing, pauseAfter, type RetryPolicy } from './retry.ts'

/** The broker closes a long poll after a minute at the latest; half of it survives most proxies. */
const WAIT_DEFAULT_MS = 30_000
/** contract: the Go original's agents poll every five seconds. */
const POLL_MS = 5_000
const TROUBLE: RetryPolicy = {
  attemptsMax: Number.POSITIVE_INFINITY,
  baseMs: 500,
  capMs: 30_000,
  budgetMs: Number.POSITIVE_INFINITY,
}

type Ways<T> = Readonly<{
  clock: Clock
  /** Whether to tell this answer; `after` is the index of the one before. */
  isNews?(answer: T, after: number | undefined): boolean
}>

/** Asks again and again, each time from where the last answer was, until aborted. */
export async function* pollLong<T extends Stamp>(
  ask: (waiting: Waiting) => Promise<T>,
  options: WatchOptions,
  { clock, isNews = hasMoved }: Ways<T>,
): AsyncGenerator<T> {
  const { signal, waitMs = WAIT_DEFAULT_MS, pollMs = POLL_MS } = options
  let after = options.after
  let troubles = 0
  let isAtOnce = after === undefined
  let last: Stamp | undefined
  while (!signal.aborted) {
    // The first answer comes at once: the caller has nothing yet to compare with.
    const question = isAtOnce
      ? { signal }
      : { signal, waitMs, ...(after === undefined ? {} : { after }) }
    const answer = await ask(question).then(undefined, (fault: Error) => ({ fault }))
    if (signal.aborted) return
    if ('fault' in answer) {
      if (!isPassing(answer.fault)) throw answer.fault
      const pauseMs = pauseAfter(++troubles, answer.fault, { policy: TROUBLE, ...clock })
      options.onTrouble?.(answer.fault, pauseMs)
      // Who answers next may be a broker of another ledger, to which `after` means nothing.
      isAtOnce = true
      await pause(clock, pauseMs, signal)
      continue
    }
    // Whoever was told of the trouble is told that it is over, also when nothing has changed.
    const isBack = troubles > 0
    troubles = 0
    isAtOnce = false
    const isOther = last !== undefined && !isSameVoice(last, answer)
    const isWorthTelling = isNews(answer, after) || isOther || isBack
    last = answer
    after = answer.index
    if (isWorthTelling) yield answer
    // No index: a broker without long polls, which would answer at once for ever.
    if (answer.index === undefined && !signal.aborted) await pause(clock, pollMs, signal)
  }
}

function isSameVoice(one: Stamp, other: Stamp): boolean {
  return one.ledgerId === other.ledgerId && one.term === other.term
}

function hasMoved({ index }: Stamp, after: number | undefined): boolean {
  return index === undefined || index !== after
}

/** A sleep that an abort ends without an error: the loop looks at the signal itself. */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return clock.sleep(ms, signal).then(undefined, () => undefined)
}
