import {
  IDEMPOTENCY_HEADER,
  priorityNote,
  RenewInput,
  ReservationRequest,
  validationSchema,
  type Reservation as WireReservation,
} from '@bourse/contract'
import { type Command, type Outcome, type Reservation, targetOf } from '@bourse/domain/ledger'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { checkedDuration, type RequestLimits } from '../../intake/read-request.ts'
import type { LedgerWriter } from '../../ledger/writer/ledger-writer.ts'
import type { NoteOf } from '../../presentation/provider-notes.ts'
import { answer } from '../answers/answer.ts'
import type { HttpLog } from '../answers/http-log.ts'
import { given, signatureOf } from '../callers/actor.ts'
import { DOOR, knownCaller } from '../callers/caller.ts'
import type { Charging } from '../callers/charge-requests.ts'
import type { TrialCharge } from '../callers/trial-charge.ts'
import { BrokerError } from '../errors/broker-error.ts'
import { createFieldCheck, invalidRequest } from '../errors/field-check.ts'
import type { Refusals } from '../explanations/explanation-reply.ts'
import {
  checkRequestId,
  createRequestReader,
  requesterOf,
  requestIdPath,
} from './reservation-command.ts'
import type { ReservationLookup } from './reservation-lookup.ts'
import { toReservation } from './reservation-reply.ts'

type Ports = Readonly<{
  writer: Pick<LedgerWriter, 'submit'>
  lookup: ReservationLookup
  refusals: Refusals
  limits: RequestLimits
  noteOf: NoteOf
  trials: TrialCharge
  charging: Pick<Charging, 'chargeKinds'>
  log: HttpLog
}>
type ById = { Params: { id: string } }

const KEY_HEADER = IDEMPOTENCY_HEADER.toLowerCase()

/** What changes reservations; questions about them are in reservation-queries. */
export function reservationRoutes(server: FastifyInstance, ports: Ports): void {
  const { writer, lookup, limits, log, trials } = ports
  const toReserveCommand = createRequestReader(limits)

  server.post<{ Body: ReservationRequest }>(
    '/reservations',
    { schema: { body: validationSchema(ReservationRequest) } },
    async (request, reply) => {
      const caller = knownCaller(request)
      const key = headerOf(request, KEY_HEADER)
      const command = given(toReserveCommand({ body: request.body, caller, key }), request)
      ports.charging.chargeKinds(request, command.wanted)

      const { outcome, index } = await writer.submit(command)

      switch (outcome.kind) {
        case 'reserved':
          answer(reply.code(201), index, noting(request.body, show(outcome.reservation)))
          return logDecision('reserved', outcome.reservation, request)
        case 'known':
          return answer(reply, index, noting(request.body, show(outcome.reservation)))
        case 'requestIdReused':
          throw reused(command.requestId, outcome.reservation, requestIdPath(request.body))
        case 'tombstoned':
          throw new BrokerError('RequestReleased', `${command.requestId} was released.`)
        case 'refused':
          trials.refused(command, caller)
          throw await ports.refusals(outcome.ranking, caller, command.aliases)
        default:
          throw new Error(`A reserve command cannot end as ${outcome.kind}`)
      }
    },
  )

  server.delete<ById>('/reservations/:id', async ({ params: { id } }, reply) =>
    change(reply, { kind: 'release', id }),
  )

  server.delete<{ Querystring: { requestId?: string; requesterID?: string } }>(
    '/reservations',
    async (request, reply) => {
      const { requestId = '', requesterID } = request.query
      const check = createFieldCheck()
      const requester = requesterOf(requesterID, knownCaller(request), check)
      if (requesterID === '') check.add('requesterID', 'is empty: leave it out, or name a cluster')
      if (requestId === '') check.add('requestId', 'is missing: say which request to release')
      else checkRequestId('requestId', requestId, check)
      check.done()

      const command = { kind: 'releaseRequest', door: DOOR, requester, requestId } as const
      const { outcome, index } = await writer.submit(given(command, request))
      if (outcome.kind === 'changed') {
        trials.released(outcome.reservation, knownCaller(request))
        logDecision('released', outcome.reservation, request)
      }
      if ('reservation' in outcome) return answer(reply, index, show(outcome.reservation))
      return answer(reply.code(204), index, undefined)
    },
  )

  server.post<ById>('/reservations/:id/activate', async ({ params: { id } }, reply) =>
    change(reply, { kind: 'activate', id }),
  )

  server.post<ById & { Body: RenewInput }>(
    '/reservations/:id/renew',
    { schema: { body: validationSchema(RenewInput) } },
    async (request, reply) => {
      const { id } = request.params
      const check = createFieldCheck()
      const durationMs = checkedDuration(request.body.duration, check, limits)
      check.done()
      if (durationMs === undefined)
        throw invalidRequest([{ path: 'duration', message: 'is missing' }])
      return change(reply, { kind: 'renew', id, durationMs })
    },
  )

  type Change = Extract<Command, { kind: 'release' | 'activate' | 'renew' }>

  async function change(reply: FastifyReply, command: Change): Promise<void> {
    const { request } = reply
    const caller = knownCaller(request)
    const { reservation: before } = await lookup.findOwn(command.id, caller)
    const { outcome, index } = await writer.submit(given(command, request))
    if (command.kind === 'release') trials.released(before, caller)
    const after = reservationAfter(outcome, command, before)
    answer(reply, index, show(after))
    if (outcome.kind === 'changed') logDecision(command.kind, after, request)
  }

  /** Ended and no longer in memory: releasing again is harmless, anything else comes too late. */
  function reservationAfter(outcome: Outcome, { kind }: Change, before: Reservation): Reservation {
    if (outcome.kind === 'changed' || outcome.kind === 'unchanged') return outcome.reservation
    if (outcome.kind === 'missing' && kind === 'release') return before
    const { phase } = 'reservation' in outcome ? outcome.reservation : before
    throw new BrokerError('WrongPhase', `${before.id} is ${phase}: cannot ${kind} it.`)
  }

  /** To its requester or an operator: a provider cannot change anything of it. */
  function show(reservation: Reservation) {
    return toReservation(reservation, ports.noteOf)
  }

  function logDecision(what: string, reservation: Reservation, request: FastifyRequest): void {
    const { id, requester, reason } = reservation
    const target = targetOf(reservation)
    const about = { reservation: id, requester, target, ...(reason && { reason }) }
    log.decision(requester, what, { ...about, ...signatureOf(request) })
  }
}

/** Warns a caller that gets less than it asked for. */
function noting({ priority }: ReservationRequest, shown: WireReservation): WireReservation {
  const note = priorityNote(priority, shown.priority)
  if (note === undefined) return shown
  return { ...shown, status: { ...shown.status, message: `${shown.status.message}; ${note}` } }
}

function reused(requestId: string | undefined, { id }: Reservation, path: string): BrokerError {
  const message = `was used for another request, which became ${id}`
  const detail = `The request id ${requestId} ${message}.`
  return new BrokerError('RequestIdReused', detail, { fields: [{ path, message }] })
}

function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value[0] : value
}
