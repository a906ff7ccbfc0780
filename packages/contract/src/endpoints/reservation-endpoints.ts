import {
  Phase,
  RenewInput,
  Reservation,
  ReservationList,
  ReservationRequest,
} from '../bodies/reservation.ts'
import { clusterIdForm, requestIdForm } from '../fields/stated.ts'
import { endpointsUnder } from './endpoint.ts'
import { paging, reason, reservationId, waiting, whose } from './parameters.ts'

const PHASES = Phase.options.join('|')

export const reservationEndpoints = endpointsUnder('Reservations', {
  reserve: {
    at: 'POST /reservations',
    summary: 'Reserve capacity on the best provider',
    who: 'Any cluster, for itself; operators for any requester (`requesterID`).',
    notes:
      'With a request id, repeating is safe: the same id and body find the same reservation, ' +
      'also after a restart, as long as it lives and 24 hours after.',
    parameters: [
      {
        name: 'Idempotency-Key',
        in: 'header',
        description: 'The request id, if not in the body; empty means none.',
        schema: { ...requestIdForm, pattern: '^[ -~]*$' },
      },
      reason,
    ],
    body: ReservationRequest,
    replies: {
      201: { description: 'Reserved', schema: Reservation },
      200: {
        description: 'Known: the reservation that this request id got earlier',
        schema: Reservation,
      },
    },
    problems: ['NotYours', 'NoClusterFits', 'RequestReleased', 'RequestIdReused'],
  },
  listReservations: {
    at: 'GET /reservations',
    summary: 'Reservations, the live ones unless a phase is asked for',
    who: 'Requesters and providers, for their own; operators, for all.',
    parameters: [
      {
        name: 'role',
        in: 'query',
        description: '`requester` or `provider`.',
        schema: { type: 'string', enum: ['requester', 'provider', ''] },
      },
      ...whose,
      {
        name: 'phase',
        in: 'query',
        description: 'One phase, or several with commas.',
        schema: { type: 'string', pattern: `^(${PHASES})(,(${PHASES}))*$|^$` },
      },
      ...paging,
      ...waiting,
    ],
    replies: { 200: { description: 'A page', schema: ReservationList } },
  },
  getReservation: {
    at: 'GET /reservations/{id}',
    summary: 'One reservation, live or ended',
    who: 'Its requester, its providers, operators.',
    parameters: [reservationId, ...waiting],
    replies: { 200: { description: 'The reservation', schema: Reservation } },
    problems: ['ReservationNotFound'],
  },
  release: {
    at: 'DELETE /reservations/{id}',
    summary: 'Release; repeating it is harmless',
    who: 'Its requester, operators.',
    parameters: [reservationId, reason],
    replies: { 200: { description: 'The reservation as it is now', schema: Reservation } },
    problems: ['NotYours', 'ReservationNotFound'],
  },
  releaseRequest: {
    at: 'DELETE /reservations',
    summary: 'Release by request id, even if the answer never came',
    who: 'The requester, operators (with `requesterID`).',
    notes:
      'Ends the reservation of this id, if there is one, and leaves a tombstone: for 24 hours a late ' +
      'POST with this id is refused with RequestReleased.',
    parameters: [
      reason,
      {
        name: 'requestId',
        in: 'query',
        description: 'The request id.',
        required: true,
        schema: requestIdForm,
      },
      {
        name: 'requesterID',
        in: 'query',
        description: 'Whose request; operators have to give it.',
        schema: clusterIdForm,
      },
    ],
    replies: {
      200: { description: 'Released', schema: Reservation },
      204: { description: 'No such reservation; the tombstone is written' },
    },
    problems: ['NotYours'],
  },
  activate: {
    at: 'POST /reservations/{id}/activate',
    summary: 'Confirm that it is in use',
    who: 'Its requester, operators.',
    parameters: [reservationId, reason],
    replies: { 200: { description: 'Active', schema: Reservation } },
    problems: ['NotYours', 'ReservationNotFound', 'WrongPhase'],
  },
  renew: {
    at: 'POST /reservations/{id}/renew',
    summary: 'Give it a new duration, counted from now',
    who: 'Its requester, operators.',
    parameters: [reservationId, reason],
    body: RenewInput,
    replies: { 200: { description: 'Renewed', schema: Reservation } },
    problems: ['NotYours', 'ReservationNotFound', 'WrongPhase'],
  },
})
