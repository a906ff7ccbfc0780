import type { ServerResponse } from 'node:http'
import { WAIT_MAX_MS } from '@bourse/contract'
import type { ChangeFeed, Watched } from '../after-commit/change-feed.ts'
import { BrokerError } from './broker-error.ts'
import { createFieldCheck } from './field-check.ts'

export type WaitQuery = Readonly<{ wait?: string; after?: string }>

/** Long polls and streams one caller may keep open: a runaway client must not take every socket. */
export const OPEN_PER_CALLER_MAX = 2_000

type Ports = Readonly<{ feed: Pick<ChangeFeed, 'changedAt' | 'onChange'>; index(): number }>
type Poll = Readonly<{
  caller: string
  watched: Watched
  query: WaitQuery
  /** Giving up when the client does keeps memory flat. */
  response: ServerResponse
  /** Where the feed does not know it: when the watched thing last changed. */
  changedIndex?: number
}>

export type LongPolls = ReturnType<typeof createLongPolls>

/** Holds an answer back until there is something new to say, or it has been long enough. */
export function createLongPolls({ feed, index }: Ports) {
  const open = new Set<() => void>()
  const perCaller = new Map<string, number>()
  let isClosing = false

  /** Resolves when the question may be answered. */
  async function wait(poll: Poll): Promise<void> {
    const { waitMs, after } = readQuery(poll.query)
    if (waitMs === 0 || isClosing || isNews(poll, after)) return
    enter(poll.caller)
    await change(poll, waitMs)
    leave(poll.caller)
  }

  function isNews({ watched, changedIndex }: Poll, after: number | undefined): boolean {
    if (after === undefined) return false
    // An index we never had comes from another ledger: the caller has to see ours at once.
    return after > index() || (changedIndex ?? feed.changedAt(watched)) > after
  }

  function change({ watched, response }: Poll, waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(answer, waitMs)
      const giveUp = feed.onChange(watched, answer)
      response.once('close', answer)
      open.add(answer)

      function answer(): void {
        clearTimeout(timer)
        giveUp()
        response.off('close', answer)
        open.delete(answer)
        resolve()
      }
    })
  }

  /** Also counts event streams, which are long polls that never end. */
  function enter(caller: string): void {
    const count = (perCaller.get(caller) ?? 0) + 1
    if (count > OPEN_PER_CALLER_MAX)
      throw new BrokerError('RateLimited', `${caller} has ${count - 1} polls and streams open.`, {
        retryAfterSeconds: 1,
      })
    perCaller.set(caller, count)
  }

  function leave(caller: string): void {
    const count = (perCaller.get(caller) ?? 1) - 1
    if (count === 0) perCaller.delete(caller)
    else perCaller.set(caller, count)
  }

  /** Everybody gets the current state now; `closing`: and so does whoever asks from now on. */
  function endAll({ closing }: Readonly<{ closing: boolean }>): void {
    isClosing = closing
    for (const answer of [...open]) answer()
  }
  return { wait, enter, leave, endAll, count: () => open.size }
}

function readQuery({ wait, after }: WaitQuery): { waitMs: number; after: number | undefined } {
  const check = createFieldCheck()
  const waitMs = check.durationMs('wait', wait) ?? 0
  const index = after === undefined || after === '' ? undefined : Number(after)
  if (index !== undefined && !(Number.isSafeInteger(index) && index >= 0))
    check.add('after', `'${after}' is not an index: use the Bourse-Index of an answer`)
  check.done()
  return { waitMs: Math.min(waitMs, WAIT_MAX_MS), after: index }
}
