import type { PeeringSession } from '@bourse/contract'
import type { BrokerPeerings } from '../communicator/broker-communicator.ts'
import { pollLong } from '../communicator/long-poll.ts'
import { createRepeat, type HttpPorts, pagedList, questions } from './calls.ts'
import type { Call } from './exchange.ts'
import { expectPeering } from './expect-shape.ts'

/** Only a bound: far more than the broker allows for one cluster. */
const PEERINGS_MAX = 10_000

/** Peerings over the REST API. Each call is safe to repeat. */
export function createHttpPeerings(ports: HttpPorts): BrokerPeerings {
  const repeat = createRepeat(ports)
  const ask = async (call: Call): Promise<PeeringSession> =>
    expectPeering((await repeat(call)).body)
  const sessions = pagedList(ports, {
    path: '/peerings',
    role: 'party',
    expectOne: expectPeering,
    tell: (peerings, stamp) => ({ ...stamp, peerings }),
    itemsMax: PEERINGS_MAX,
  })

  return {
    openPeering: ({ id, ...body }) => ask({ method: 'PUT', path: pathOf(id), body }),
    postPeering: (id, body) => ask({ method: 'POST', path: `${pathOf(id)}/messages`, body }),
    reportPeeringTrouble: (id, body) =>
      ask({ method: 'POST', path: `${pathOf(id)}/trouble`, body }),
    async closePeering(id) {
      await repeat({ method: 'DELETE', path: pathOf(id), outcomes: [404] })
    },
    watchPeerings: (options) => pollLong(questions(ports, sessions), options, ports),
  }
}

function pathOf(id: string): string {
  return `/peerings/${encodeURIComponent(id)}`
}
