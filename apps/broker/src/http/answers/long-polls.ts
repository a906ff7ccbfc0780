import type { ServerResponse } from 'node:http'
import { WAIT_MAX_MS } from '@bourse/contract'
import type { FastifyRequest } from 'fastify'
import type { ChangeFeed, Watched } from '../../after-commit/change-feed.ts'
import type { IsStillWelcome } from '../callers/authenticate.ts'
import { type Caller, knownCaller } from '../callers/caller.ts'
import type { Charging } from '../callers/charge-requests.ts'
import { BrokerError } from '../errors/broker-error.ts'
import { createFieldCheck } from '../errors/field-check.ts'

export type WaitQuery = Readonly<{ wait?: string; after?: string }>

/** Long polls and streams one caller may keep open: a runaway client must not take every socket. */
export const OPEN_PER_CALLER_MAX = 2_000
/** As long as an event stream outlives a change of the lists. */
export const LOOK_AGAIN_MS = 15_000

type Ports = Readonly<{
  feed: Pick<ChangeFeed, 'changedAt' | 'onChange'>
  index(): number
  /** The caller as of now; throws a BrokerError if its certificate is no longer valid. */
  identify(request: FastifyRequest): Caller
  isWelcome: IsStillWelcome
  charging: Pick<Charging, 'park' | 'unpark'>
}>
type Poll = Readonly<{
  request: FastifyRequest
  watched: Watched
  query: WaitQuery
  /** A poll ends with its connection, so that memory stays flat. */
  response: ServerResponse
  /** What the feed does not keep: when the watched thing itself last changed. */
  changedIndex?: number
}>

export type LongPolls = ReturnType<typeof createLongPolls>

/** Holds an answer back until something has changed, or until its time is over. */
export function createLongPolls({ feed, index, identify, isWelcome, charging }: Ports) {
  const open = new Map<() => void, FastifyRequest>()
  const room = createRoom(OPEN_PER_CALLER_MAX, 'polls and streams')
  let isClosing = false
  const looking = setInterval(endUnwelcome, LOOK_AGAIN_MS).unref()

  /** Resolves when the question may be answered; throws if its caller may no longer ask it. */
  async function wait(poll: Poll): Promise<void> {
    const { waitMs, after } = readQuery(poll.query)
    if (waitMs === 0 || isClosing || isNews(poll, after)) return
    const { id } = knownCaller(poll.request)
    room.enter(id)
    charging.park(poll.request)
    await change(poll, waitMs)
    room.leave(id)
    const turn = charging.unpark(poll.request)
    if (turn) await turn
    admitAgain(poll.request)
  }

  /** A caller that was denied while it waited gets the error that a new request would get. */
  function admitAgain(request: FastifyRequest): void {
    const { id } = identify(request)
    if (!isWelcome(request)) throw new BrokerError('ClusterDenied', `${id} is no longer admitted.`)
  }

  /** A certificate that expires makes no event, so all polls are checked now and then. */
  function endUnwelcome(): void {
    for (const [answer, request] of [...open]) if (!isWelcome(request)) answer()
  }

  function isNews({ watched, changedIndex = 0 }: Poll, after: number | undefined): boolean {
    if (after === undefined) return false
    // An index we never had comes from another ledger: the caller has to see ours at once.
    return after > index() || Math.max(changedIndex, feed.changedAt(watched)) > after
  }

  function change({ request, watched, response }: Poll, waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(answer, waitMs)
      const giveUp = feed.onChange(watched, answer)
      response.once('close', answer)
      open.set(answer, request)

      function answer(): void {
        clearTimeout(timer)
        giveUp()
        response.off('close', answer)
        open.delete(answer)
        resolve()
      }
    })
  }

  /** Answers every poll with the current state; `closing`: and accepts no more. */
  function endAll({ closing }: Readonly<{ closing: boolean }>): void {
    isClosing = closing
    for (const answer of [...open.keys()]) answer()
  }

  /** `room` also counts event streams, which are long polls that never end. */
  return { wait, room, endAll, stop: () => clearInterval(looking), count: () => open.size }
}

type Room = Readonly<{ enter(caller: string): void; leave(caller: string): void }>

/** Counts what each caller has open, also in `outer`; one with too many is told to come later. */
export function createRoom(max: number, what: string, outer?: Room): Room {
  const counts = new Map<string, number>()
  return {
    enter(caller) {
      const count = counts.get(caller) ?? 0
      if (count >= max) throw tooManyOpen(`${caller} has ${count} ${what} open.`)
      outer?.enter(caller)
      counts.set(caller, count + 1)
    },
    leave(caller) {
      outer?.leave(caller)
      const count = (counts.get(caller) ?? 1) - 1
      if (count > 0) counts.set(caller, count)
      else counts.delete(caller)
    },
  }
}

function tooManyOpen(detail: string): BrokerError {
  return new BrokerError('RateLimited', detail, { retryAfterSeconds: 1 })
}

function readQuery({ wait, after }: WaitQuery): { waitMs: number; after: number | undefined } {
  const check = createFieldCheck()
  const waitMs = check.durationMs('wait', wait) ?? 0
  const index = check.index('after', after)
  check.done()
  return { waitMs: Math.min(waitMs, WAIT_MAX_MS), after: index }
}
