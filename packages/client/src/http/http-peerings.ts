import type { PeeringSession } from '@bourse/contract'
import { PAGE_SIZE_MAX } from '@bourse/contract/limits'
import type {
  BrokerPeerings,
  PeeringsAnswer,
  Waiting,
} from '../communicator/broker-communicator.ts'
import { pollLong } from '../communicator/long-poll.ts'
import type { Call, Reply } from './exchange.ts'
import { expectPage, expectPeering } from './expect-shape.ts'
import { followed } from './follow-stream.ts'
import { asked, type HttpPorts } from './http-communicator.ts'

/** Only a bound: far more than the broker allows for one cluster. */
const PEERINGS_MAX = 10_000

/** Peerings over the REST API. Each call is safe to repeat. */
export function createHttpPeerings({ exchange, persist, clock }: HttpPorts): BrokerPeerings {
  const repeat = (call: Call) =>
    persist(() => exchange.send(call), call.signal ? { signal: call.signal } : {})
  const ask = async (call: Call): Promise<PeeringSession> =>
    expectPeering((await repeat(call)).body)

  /** Reads all pages; only the first may have waited, and its index is the one to resume from. */
  async function read({ body, stamp }: Reply, signal?: AbortSignal): Promise<PeeringsAnswer> {
    let page = expectPage(body, expectPeering)
    const peerings = [...page.items]
    while (page.nextCursor !== undefined && peerings.length < PEERINGS_MAX) {
      const next = await repeat(peeringsCall({ signal }, { cursor: page.nextCursor }))
      page = expectPage(next.body, expectPeering)
      peerings.push(...page.items)
    }
    return { ...stamp, peerings }
  }

  const { follow } = exchange
  const watch = () =>
    follow
      ? followed(follow, peeringsCall({}), read)
      : async (waiting: Waiting) => read(await repeat(peeringsCall(waiting)), waiting.signal)

  return {
    openPeering: ({ id, ...body }) => ask({ method: 'PUT', path: pathOf(id), body }),
    postPeering: (id, body) => ask({ method: 'POST', path: `${pathOf(id)}/messages`, body }),
    reportPeeringTrouble: (id, body) =>
      ask({ method: 'POST', path: `${pathOf(id)}/trouble`, body }),
    async closePeering(id) {
      await repeat({ method: 'DELETE', path: pathOf(id), outcomes: [404] })
    },
    watchPeerings: (options) => pollLong(watch(), options, { clock }),
  }
}

function pathOf(id: string): string {
  return `/peerings/${encodeURIComponent(id)}`
}

function peeringsCall(
  waiting: Pick<Waiting, 'waitMs' | 'after'> & { signal?: AbortSignal | undefined },
  more: Call['query'] = {},
): Call {
  const { query, ...rest } = asked(waiting)
  const all = { role: 'party', limit: PAGE_SIZE_MAX, ...query, ...more }
  return { ...rest, method: 'GET', path: '/peerings', query: all }
}
