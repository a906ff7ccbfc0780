import { PAGE_SIZE_MAX } from '@bourse/contract/limits'
import type { Stamp, Waiting } from '../communicator/broker-communicator.ts'
import { BrokerUnreachable } from '../communicator/errors.ts'
import type { Clock, Persist } from '../communicator/retry.ts'
import type { Call, Exchange, Reply } from './exchange.ts'
import { expectPage } from './expect-shape.ts'

export type HttpPorts = Readonly<{ exchange: Exchange; persist: Persist; clock: Clock }>

/** A call that is tried again as long as that is worth it. */
export function createRepeat({ exchange, persist }: Pick<HttpPorts, 'exchange' | 'persist'>) {
  return (call: Call): Promise<Reply> =>
    persist(() => exchange.send(call), call.signal ? { signal: call.signal } : {})
}

/** The parts of a call that may wait for a change. */
export function asked({
  waitMs,
  after,
  signal,
}: Waiting): Pick<Call, 'query' | 'waitMs' | 'lane' | 'signal'> {
  if (waitMs === undefined) return { signal }
  return { query: { wait: `${waitMs}ms`, after }, waitMs, lane: 'long', signal }
}

type Watched<A> = Readonly<{
  callFor(waiting: Waiting): Call
  read(reply: Reply, signal?: AbortSignal): A | Promise<A>
}>

/** One question after the other, or the pushed answers where the carrier can push. */
export function questions<A extends Stamp>(
  ports: HttpPorts,
  { callFor, read }: Watched<A>,
): (waiting: Waiting) => Promise<A> {
  const { follow } = ports.exchange
  const repeat = createRepeat(ports)
  if (follow) return followed(follow, callFor({}), read)
  return async (waiting) => read(await repeat(callFor(waiting)), waiting.signal)
}

type List<T, A> = Readonly<{
  path: string
  role: string
  expectOne(item: unknown): T
  tell(items: readonly T[], stamp: Stamp): A
  /** Only a bound: far more than there are. */
  itemsMax: number
}>

/** All pages of a list; only the first may wait, and its index is the one to resume from. */
export function pagedList<T, A>(ports: HttpPorts, list: List<T, A>): Watched<A> {
  const { path, role, expectOne, tell, itemsMax } = list
  const repeat = createRepeat(ports)
  return { callFor, read }

  function callFor(waiting: Waiting, cursor?: string): Call {
    const { query, ...rest } = asked(waiting)
    const all = { role, limit: PAGE_SIZE_MAX, ...query, cursor }
    return { ...rest, method: 'GET', path, query: all }
  }

  async function read({ body, stamp }: Reply, signal?: AbortSignal): Promise<A> {
    let page = expectPage(body, expectOne)
    const items = [...page.items]
    while (page.nextCursor !== undefined && items.length < itemsMax) {
      const next = await repeat(callFor({ signal }, page.nextCursor))
      page = expectPage(next.body, expectOne)
      items.push(...page.items)
    }
    return tell(items, stamp)
  }
}

/** Each call waits for the next pushed answer; after a fault the stream restarts. */
function followed<A extends Stamp>(
  follow: NonNullable<Exchange['follow']>,
  call: Call,
  read: Watched<A>['read'],
): (waiting: Waiting) => Promise<A> {
  let answers: AsyncIterator<Reply> | undefined

  return async ({ signal = NEVER }) => {
    answers ??= follow(call, signal)[Symbol.asyncIterator]()
    const next = await answers.next().catch((thrown) => {
      answers = undefined
      throw thrown
    })
    if (!next.done) return read(next.value, signal)
    answers = undefined
    throw new BrokerUnreachable('The broker ended the watch; it is restarted.')
  }
}

const NEVER = new AbortController().signal
