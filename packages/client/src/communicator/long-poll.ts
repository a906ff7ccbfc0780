import type { Stamp, Waiting, WatchOptions } from './broker-communicator.ts'
import { type Clock, isPassing, pauseAfter, WITHOUT_END } from './retry.ts'

/** The broker answers a long poll within a minute; half of that survives most proxies. */
const WAIT_DEFAULT_MS = 30_000
/** contract: the Go original's agents poll every five seconds. */
const POLL_MS = 5_000

type Ways<T> = Readonly<{
  clock: Clock
  /** Whether to yield this answer; `after` is the index of the previous one. */
  isNews?(answer: T, after: number | undefined): boolean
}>

/** Repeats long polls, each from the index of the last answer, until aborted. */
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
    // The first call does not wait: the caller has nothing yet.
    const question = isAtOnce
      ? { signal }
      : { signal, waitMs, ...(after === undefined ? {} : { after }) }
    const answer = await ask(question).catch((fault: Error) => ({ fault }))
    if (signal.aborted) return
    if ('fault' in answer) {
      if (!isPassing(answer.fault)) throw answer.fault
      const pauseMs = pauseAfter(++troubles, answer.fault, { policy: WITHOUT_END, ...clock })
      options.onTrouble?.(answer.fault, pauseMs)
      // The next answer may be of another ledger, to which `after` means nothing.
      isAtOnce = true
      await pause(clock, pauseMs, signal)
      continue
    }
    // After trouble, yield even without a change, so that the caller knows that it is over.
    const isBack = troubles > 0
    troubles = 0
    isAtOnce = false
    const isOther = last !== undefined && !isSameLeader(last, answer)
    const isWorthTelling = isNews(answer, after) || isOther || isBack
    last = answer
    after = answer.index
    if (isWorthTelling) yield answer
    // Without an index the broker has no long polls, and would answer at once each time.
    if (answer.index === undefined && !signal.aborted) await pause(clock, pollMs, signal)
  }
}

function isSameLeader(one: Stamp, other: Stamp): boolean {
  return one.ledgerId === other.ledgerId && one.term === other.term
}

function hasMoved({ index }: Stamp, after: number | undefined): boolean {
  return index === undefined || index !== after
}

/** Sleeps until the time is up or the signal fires; never rejects. */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return clock.sleep(ms, signal).catch(() => undefined)
}
