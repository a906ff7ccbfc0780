import { randomUUID } from 'node:crypto'
import type { PeeringSession, Problem, ReservationRequest } from '@bourse/contract'
import type {
  BrokerCommunicator,
  BrokerPeerings,
  InstructionsAnswer,
  ReservationOutcome,
  Waiting,
  Which,
} from '../communicator/broker-communicator.ts'
import { BrokerRefused, isUnsent } from '../communicator/errors.ts'
import { pollLong } from '../communicator/long-poll.ts'
import { asked, createRepeat, type HttpPorts, pagedList, questions } from './calls.ts'
import type { Call, Exchange, Reply } from './exchange.ts'
import {
  expectPeering,
  expectPublished,
  expectReservation,
  expectReservations,
} from './expect-shape.ts'

/** Only a bound: far more than one requester holds. */
const RESERVATIONS_MAX = 100_000

/** An agent's calls over the REST API of the contract, §4. */
export function createHttpCommunicator(ports: HttpPorts): Omit<BrokerCommunicator, 'close'> {
  const repeat = createRepeat(ports)
  const reservations = pagedList(ports, {
    path: '/reservations',
    role: 'requester',
    expectOne: expectReservation,
    tell: (items, stamp) => ({ ...stamp, reservations: items }),
    itemsMax: RESERVATIONS_MAX,
  })

  return {
    async publishAdvertisement(advertisement) {
      const call = { method: 'POST', path: '/advertisements', body: advertisement } as const
      const { body, stamp } = await repeat(call)
      return { ...stamp, ...expectPublished(body) }
    },
    requestReservation: (request) => reserve(ports, request),
    fetchInstructions: async (waiting = {}) =>
      instructions.read(await repeat(instructions.callFor(waiting))),
    watchInstructions: (options) => pollLong(questions(ports, instructions), options, ports),
    watchReservations: (options) => pollLong(questions(ports, reservations), options, ports),
    async getReservation(id) {
      const path = `/reservations/${encodeURIComponent(id)}`
      return expectReservation((await repeat({ method: 'GET', path })).body)
    },
    async release(which) {
      const { status, body, stamp } = await repeat(releaseCall(which))
      if (status === 204) return { kind: 'tombstoned', ...stamp }
      return { kind: 'released', ...stamp, reservation: expectReservation(body) }
    },
    async activate(id) {
      return expectReservation((await repeat(postTo(id, 'activate'))).body)
    },
    async renew(id, duration) {
      return expectReservation((await repeat(postTo(id, 'renew', { duration }))).body)
    },
    async ping() {
      // The Go original answers 404 here, which is a sign of life as well.
      const call: Call = { method: 'GET', path: '/healthz', outcomes: [404] }
      return (await repeat(call)).stamp
    },
    ...createHttpPeerings(ports),
  }
}

const instructions = {
  callFor: (waiting: Waiting): Call => ({
    method: 'GET',
    path: '/instructions',
    ...asked(waiting),
  }),
  read: ({ body, stamp }: Reply): InstructionsAnswer => ({
    ...stamp,
    instructions: expectReservations(body),
  }),
}

/** Always sends a request id, so that a call with a lost answer can be repeated. */
async function reserve(
  { exchange, persist }: HttpPorts,
  request: ReservationRequest,
): Promise<ReservationOutcome> {
  const requestId = request.requestId || randomUUID()
  const call: Call = {
    method: 'POST',
    path: '/reservations',
    body: { ...request, requestedResources: asText(request), requestId },
    outcomes: [409],
  }
  const reply = await persist(() => exchange.send(call), {
    // The Go original ignores request ids: a second POST would reserve twice.
    mayRepeat: async (fault) =>
      isUnsent(fault) || exchange.knowsRequestIds() || (await asksWhetherOurs(exchange)),
  })
  return outcomeOf(requestId, reply)
}

/** An amount in an object may be a number; the Go original reads text alone. */
function asText({ requestedResources }: ReservationRequest) {
  const amounts = Object.entries(requestedResources ?? {})
  return Object.fromEntries(
    amounts.map(([name, amount]) => [name, typeof amount === 'number' ? `${amount}` : amount]),
  )
}

/** Every answer of our broker has ledger headers, so one small call settles it. */
function asksWhetherOurs(exchange: Exchange): Promise<boolean> {
  const settle = () => exchange.knowsRequestIds()
  return exchange.send({ method: 'GET', path: '/healthz' }).then(settle, settle)
}

function outcomeOf(requestId: string, { status, body, stamp }: Reply): ReservationOutcome {
  if (status === 409) return refusalOf(requestId, body)
  // The Go original does not send the request id.
  const reservation = { requestId, ...expectReservation(body) }
  if (status === 202) return { kind: 'waiting', requestId, ...stamp, reservation }
  return { kind: 'reserved', requestId, ...stamp, reservation, isNew: status === 201 }
}

function refusalOf(requestId: string, body: unknown): ReservationOutcome {
  // `problemOf` made it from a JSON object, or from nothing.
  const problem = body as Partial<Problem>
  const message = problem.detail ?? problem.error ?? 'No cluster can hold this request.'
  if (problem.code === 'RequestReleased') return { kind: 'tombstoned', requestId, message }
  if (problem.code !== undefined && problem.code !== 'NoClusterFits')
    throw new BrokerRefused(message, { status: 409, code: problem.code })
  return {
    kind: 'refused',
    requestId,
    message,
    refused: problem.explanation?.refused ?? {},
    rows: problem.explanation?.rows ?? [],
  }
}

function releaseCall(which: Which): Call {
  if ('id' in which)
    return { method: 'DELETE', path: `/reservations/${encodeURIComponent(which.id)}` }
  const { requestId, requesterID } = which
  return { method: 'DELETE', path: '/reservations', query: { requestId, requesterID } }
}

function postTo(id: string, verb: string, body?: unknown): Call {
  return { method: 'POST', path: `/reservations/${encodeURIComponent(id)}/${verb}`, body }
}

/** Only a bound: far more than the broker allows for one cluster. */
const PEERINGS_MAX = 10_000

/** Peerings over the REST API. Each call is safe to repeat. */
function createHttpPeerings(ports: HttpPorts): BrokerPeerings {
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
