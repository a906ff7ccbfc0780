import { INDEX_HEADER } from '@bourse/contract/headers'
import type { Waiting } from '../communicator/broker-communicator.ts'
import type { BrokerConsole } from '../communicator/broker-console.ts'
import type { BrokerFault } from '../communicator/errors.ts'
import { pollLong } from '../communicator/long-poll.ts'
import { faultOfAnswer, headerOf } from './answer-faults.ts'
import { asked, createRepeat, type HttpPorts } from './calls.ts'
import { streamEvents } from './event-stream.ts'
import type { Call } from './exchange.ts'
import {
  expectAdvertisement,
  expectPage,
  expectPeering,
  expectReservation,
  expectTable,
} from './expect-shape.ts'

type Ports = HttpPorts & { name(thrown: unknown): BrokerFault }

/** The calls for people. Each is safe to repeat. */
export function createHttpConsole(ports: Ports): Omit<BrokerConsole, 'getReservation'> {
  const repeat = createRepeat(ports)
  const ask = async (call: Call) => (await repeat(call)).body
  const get = (path: string, query: Call['query'] = {}) => ask({ method: 'GET', path, query })
  const changeCluster = async (clusterId: string, verb: string, body?: unknown) => {
    const path = `/advertisements/${encodeURIComponent(clusterId)}/${verb}`
    return expectAdvertisement(await ask({ method: 'POST', path, body }))
  }
  const reservation = (id: string) => `/reservations/${encodeURIComponent(id)}`

  return {
    listClusters: async (query = {}) =>
      expectPage(await get('/advertisements', query), expectAdvertisement),
    getCluster: async (clusterId) =>
      expectAdvertisement(await get(`/advertisements/${encodeURIComponent(clusterId)}`)),
    cordon: (clusterId) => changeCluster(clusterId, 'cordon'),
    uncordon: (clusterId) => changeCluster(clusterId, 'uncordon'),
    withdraw: (clusterId, grace) =>
      changeCluster(clusterId, 'withdraw', grace === undefined ? undefined : { grace }),
    decommission: async (clusterId) => {
      const path = `/advertisements/${encodeURIComponent(clusterId)}`
      return expectAdvertisement(await ask({ method: 'DELETE', path }))
    },
    listReservations: async ({ phases, ...query } = {}) =>
      expectPage(
        await get('/reservations', { ...query, phase: phases?.join(',') }),
        expectReservation,
      ),
    watchReservation: (id, options) =>
      pollLong((waiting) => followUp(ports, reservation(id), waiting), options, ports),
    listPeerings: async (query = {}) => {
      // An older broker has no peerings.
      const call: Call = { method: 'GET', path: '/peerings', query, outcomes: [404] }
      const { status, body } = await repeat(call)
      return status === 404 ? { items: [] } : expectPage(body, expectPeering)
    },
    getPeering: async (id) => expectPeering(await get(`/peerings/${encodeURIComponent(id)}`)),
    explain: async (id) => expectTable(await get(`${reservation(id)}/explanation`)),
    evaluate: async (request) =>
      expectTable(await ask({ method: 'POST', path: '/evaluations', body: request })),
    audit: async () => expectTable(await get('/audit')),
    events: (options) =>
      streamEvents(options, {
        ...ports,
        connect: (after, signal) => connect(ports, { after, last: options.last }, signal),
      }),
  }
}

async function followUp({ exchange, persist }: Ports, path: string, waiting: Waiting) {
  const call: Call = { method: 'GET', path, ...asked(waiting) }
  const { body, stamp } = await persist(() => exchange.send(call))
  return { ...stamp, reservation: expectReservation(body) }
}

async function connect(
  { exchange }: Ports,
  { after, last }: Readonly<{ after: string | undefined; last: number | undefined }>,
  signal: AbortSignal,
) {
  const call: Call = {
    method: 'GET',
    path: '/events',
    ...(after === undefined && last !== undefined && { query: { last: String(last) } }),
    lane: 'stream',
    signal,
    headers: {
      accept: 'text/event-stream',
      ...(after === undefined ? {} : { 'last-event-id': after }),
    },
  }
  const { statusCode, headers, body } = await exchange.open(call)
  if (statusCode !== 200)
    throw faultOfAnswer({ status: statusCode, headers, text: await body.text(), call })
  body.setEncoding('utf8')
  return { chunks: body, index: headerOf(headers, INDEX_HEADER) }
}
