import { randomUUID } from 'node:crypto'
import type { Problem, ReservationRequest } from '@bourse/contract'
import { PAGE_SIZE_MAX } from '@bourse/contract/limits'
import type {
  BrokerCommunicator,
  InstructionsAnswer,
  ReservationOutcome,
  ReservationsAnswer,
  Waiting,
  Which,
} from '../communicator/broker-communicator.ts'
import { BrokerRefused, isUnsent } from '../communicator/errors.ts'
import { pollLong } from '../communicator/long-poll.ts'
import type { Clock, Persist } from '../communicator/retry.ts'
import type { Call, Exchange, Reply } from './exchange.ts'
import {
  expectPage,
  expectPublished,
  expectReservation,
  expectReservations,
} from './expect-shape.ts'
import { followed } from './follow-stream.ts'
import { createHttpPeerings } from './http-peerings.ts'

/** Only a bound: far more than one requester holds. */
const RESERVATIONS_MAX = 100_000

export type HttpPorts = { exchange: Exchange; persist: Persist; clock: Clock }

/** An agent's calls over the REST API of the contract, §4. */
export function createHttpCommunicator(ports: HttpPorts): Omit<BrokerCommunicator, 'close'> {
  const { exchange, persist, clock } = ports
  const repeat = (call: Call) =>
    persist(() => exchange.send(call), call.signal ? { signal: call.signal } : {})

  async function fetchInstructions(waiting: Waiting = {}): Promise<InstructionsAnswer> {
    return readInstructions(await repeat(instructionsCall(waiting)))
  }

  async function fetchReservations(waiting: Waiting): Promise<ReservationsAnswer> {
    return readReservations(await repeat(reservationsCall(waiting)), waiting.signal)
  }

  /** Reads all pages; only the first may have waited, and its index is the one to resume from. */
  async function readReservations(
    { body, stamp }: Reply,
    signal?: AbortSignal,
  ): Promise<ReservationsAnswer> {
    let page = expectPage(body, expectReservation)
    const reservations = [...page.items]
    while (page.nextCursor !== undefined && reservations.length < RESERVATIONS_MAX) {
      const next = await repeat(reservationsCall({ signal }, { cursor: page.nextCursor }))
      page = expectPage(next.body, expectReservation)
      reservations.push(...page.items)
    }
    return { ...stamp, reservations }
  }

  const { follow } = exchange
  const askInstructions = () =>
    follow ? followed(follow, instructionsCall({}), readInstructions) : fetchInstructions
  const askReservations = () =>
    follow ? followed(follow, reservationsCall({}), readReservations) : fetchReservations

  return {
    async publishAdvertisement(advertisement) {
      const call = { method: 'POST', path: '/advertisements', body: advertisement } as const
      const { body, stamp } = await repeat(call)
      return { ...stamp, ...expectPublished(body) }
    },
    requestReservation: (request) => reserve(ports, request),
    fetchInstructions,
    watchInstructions: (options) => pollLong(askInstructions(), options, { clock }),
    watchReservations: (options) => pollLong(askReservations(), options, { clock }),
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

function instructionsCall(waiting: Waiting): Call {
  return { method: 'GET', path: '/instructions', ...asked(waiting) }
}

function reservationsCall(
  waiting: Pick<Waiting, 'waitMs' | 'after'> & { signal?: AbortSignal | undefined },
  more: Call['query'] = {},
): Call {
  const { query, ...rest } = asked(waiting)
  const all = { role: 'requester', limit: PAGE_SIZE_MAX, ...query, ...more }
  return { ...rest, method: 'GET', path: '/reservations', query: all }
}

function readInstructions({ body, stamp }: Reply): InstructionsAnswer {
  return { ...stamp, instructions: expectReservations(body) }
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
    body: { ...request, requestId },
    outcomes: [409],
  }
  const reply = await persist(() => exchange.send(call), {
    // The Go original ignores request ids: a second POST would reserve twice.
    mayRepeat: async (fault) =>
      isUnsent(fault) || exchange.knowsRequestIds() || (await asksWhetherOurs(exchange)),
  })
  return outcomeOf(requestId, reply)
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

export function asked({
  waitMs,
  after,
  signal,
}: Omit<Waiting, 'signal'> & { signal?: AbortSignal | undefined }): Pick<
  Call,
  'query' | 'waitMs' | 'lane' | 'signal'
> {
  if (waitMs === undefined) return { signal }
  return { query: { wait: `${waitMs}ms`, after }, waitMs, lane: 'long', signal }
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
