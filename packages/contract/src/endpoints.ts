import {
  Advertisement,
  AdvertisementInput,
  AdvertisementList,
  AdvertisementReply,
  WithdrawInput,
} from './advertisement.ts'
import { AuditReport, Health } from './audit.ts'
import type { Endpoint, Parameter } from './endpoint.ts'
import { StreamEvent } from './event-stream.ts'
import { Evaluation, Explanation } from './explanation.ts'
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from './limits.ts'
import {
  Instructions,
  RenewInput,
  Reservation,
  ReservationList,
  ReservationRequest,
} from './reservation.ts'

const reservationId: Parameter = { name: 'id', in: 'path', description: 'Reservation id' }
const clusterId: Parameter = { name: 'clusterID', in: 'path', description: 'Cluster id' }
const waiting: readonly Parameter[] = [
  {
    name: 'wait',
    in: 'query',
    description: 'Long poll: answer as soon as something differs, at the latest after this.',
    example: '30s',
  },
  {
    name: 'after',
    in: 'query',
    description: 'Differs from what it was at this index; the Bourse-Index of an earlier answer.',
    example: '1042',
  },
]
const paging: readonly Parameter[] = [
  {
    name: 'limit',
    in: 'query',
    description: `Items a page: ${PAGE_SIZE_DEFAULT} unless told, at most ${PAGE_SIZE_MAX}.`,
  },
  { name: 'cursor', in: 'query', description: 'The nextCursor of the page before.' },
]

const advertisements: readonly Endpoint[] = [
  {
    id: 'publishAdvertisement',
    group: 'Advertisements',
    method: 'post',
    path: '/advertisements',
    summary: 'Say what a cluster has',
    who: 'The cluster itself: the Common Name must equal `clusterID`.',
    notes:
      'Repeat it as a heartbeat: a cluster that is silent for --stale-after gets nothing new. ' +
      'The answer brings the instructions along, so a provider need not ask separately.',
    body: AdvertisementInput,
    replies: { 200: { description: 'Taken', schema: AdvertisementReply } },
    problems: ['InvalidRequest', 'NotYours', 'ClaimedElsewhere'],
  },
  {
    id: 'listAdvertisements',
    group: 'Advertisements',
    method: 'get',
    path: '/advertisements',
    summary: 'All clusters, by id',
    who: 'Operators.',
    parameters: paging,
    replies: { 200: { description: 'A page', schema: AdvertisementList } },
    problems: ['InvalidRequest', 'OperatorOnly'],
  },
  {
    id: 'getAdvertisement',
    group: 'Advertisements',
    method: 'get',
    path: '/advertisements/{clusterID}',
    summary: 'One cluster, with what is reserved and available',
    who: 'The cluster itself, operators.',
    parameters: [clusterId],
    replies: { 200: { description: 'The cluster', schema: Advertisement } },
    problems: ['NotYours', 'AdvertisementNotFound'],
  },
  ...(['cordon', 'uncordon'] as const).map(
    (verb): Endpoint => ({
      id: verb,
      group: 'Advertisements',
      method: 'post',
      path: `/advertisements/{clusterID}/${verb}`,
      summary:
        verb === 'cordon'
          ? 'Place nothing new here'
          : 'Take new reservations again (also withdrawn)',
      who: 'The provider itself, operators.',
      parameters: [clusterId],
      replies: { 200: { description: 'The cluster as it is now', schema: Advertisement } },
      problems: ['NotYours', 'AdvertisementNotFound'],
    }),
  ),
  {
    id: 'withdraw',
    group: 'Advertisements',
    method: 'post',
    path: '/advertisements/{clusterID}/withdraw',
    summary: 'Place nothing new here and end what is held, after a grace',
    who: 'The provider itself, operators.',
    parameters: [clusterId],
    body: WithdrawInput,
    bodyOptional: true,
    replies: { 200: { description: 'The cluster as it is now', schema: Advertisement } },
    problems: ['InvalidRequest', 'NotYours', 'AdvertisementNotFound'],
  },
  {
    id: 'decommission',
    group: 'Advertisements',
    method: 'delete',
    path: '/advertisements/{clusterID}',
    summary: 'Take a cluster off the board that will not come back',
    who: 'The provider itself, operators.',
    notes:
      'Only while nothing is held there: withdraw it first. Stop its agent before that, since ' +
      'the next advertisement would bring it back as a new cluster.',
    parameters: [clusterId],
    replies: { 200: { description: 'The cluster as it last was', schema: Advertisement } },
    problems: ['NotYours', 'AdvertisementNotFound', 'StillInUse'],
  },
]

const reservations: readonly Endpoint[] = [
  {
    id: 'reserve',
    group: 'Reservations',
    method: 'post',
    path: '/reservations',
    summary: 'Reserve capacity on the best provider',
    who: 'Any cluster, for itself; operators for anybody (`requesterID`).',
    notes:
      'With a request id, repeating is safe: the same id and body find the same reservation, ' +
      'also after a restart, as long as it lives and 24 hours after.',
    parameters: [
      { name: 'Idempotency-Key', in: 'header', description: 'The request id, if not in the body.' },
    ],
    body: ReservationRequest,
    replies: {
      201: { description: 'Reserved', schema: Reservation },
      200: {
        description: 'Known: the reservation this request id got earlier',
        schema: Reservation,
      },
    },
    problems: ['InvalidRequest', 'NotYours', 'NoClusterFits', 'RequestReleased', 'RequestIdReused'],
  },
  {
    id: 'listReservations',
    group: 'Reservations',
    method: 'get',
    path: '/reservations',
    summary: 'Reservations, the live ones unless a phase is asked for',
    who: 'Requesters and providers their own, operators all.',
    parameters: [
      { name: 'role', in: 'query', description: '`requester` or `provider`.' },
      { name: 'phase', in: 'query', description: 'One phase, or several with commas.' },
      ...paging,
      ...waiting,
    ],
    replies: { 200: { description: 'A page', schema: ReservationList } },
    problems: ['InvalidRequest'],
  },
  {
    id: 'getReservation',
    group: 'Reservations',
    method: 'get',
    path: '/reservations/{id}',
    summary: 'One reservation, live or ended',
    who: 'Its requester, its providers, operators.',
    parameters: [reservationId, ...waiting],
    replies: { 200: { description: 'The reservation', schema: Reservation } },
    problems: ['InvalidRequest', 'ReservationNotFound'],
  },
  {
    id: 'release',
    group: 'Reservations',
    method: 'delete',
    path: '/reservations/{id}',
    summary: 'Release; again is harmless',
    who: 'Its requester, operators.',
    parameters: [reservationId],
    replies: { 200: { description: 'The reservation as it is now', schema: Reservation } },
    problems: ['NotYours', 'ReservationNotFound'],
  },
  {
    id: 'releaseRequest',
    group: 'Reservations',
    method: 'delete',
    path: '/reservations',
    summary: 'Release by request id, also one whose answer never came',
    who: 'The requester, operators (with `requesterID`).',
    notes: 'Leaves a tombstone: a late POST with this id is refused with RequestReleased.',
    parameters: [
      { name: 'requestId', in: 'query', description: 'The request id.' },
      { name: 'requesterID', in: 'query', description: 'For operators: whose request.' },
    ],
    replies: {
      200: { description: 'Released', schema: Reservation },
      204: { description: 'No such reservation; the tombstone stands' },
    },
    problems: ['InvalidRequest', 'NotYours'],
  },
  {
    id: 'activate',
    group: 'Reservations',
    method: 'post',
    path: '/reservations/{id}/activate',
    summary: 'Confirm that it is in use',
    who: 'Its requester, operators.',
    parameters: [reservationId],
    replies: { 200: { description: 'Active', schema: Reservation } },
    problems: ['NotYours', 'ReservationNotFound', 'WrongPhase'],
  },
  {
    id: 'renew',
    group: 'Reservations',
    method: 'post',
    path: '/reservations/{id}/renew',
    summary: 'Let it last for a new duration, counted from now',
    who: 'Its requester, operators.',
    parameters: [reservationId],
    body: RenewInput,
    replies: { 200: { description: 'Renewed', schema: Reservation } },
    problems: ['InvalidRequest', 'NotYours', 'ReservationNotFound', 'WrongPhase'],
  },
]

const questions: readonly Endpoint[] = [
  {
    id: 'explain',
    group: 'Explanations',
    method: 'get',
    path: '/reservations/{id}/explanation',
    summary: 'Why this cluster, and why not the others',
    who: 'Its requester, its providers, operators.',
    notes:
      'Operators see all numbers; others those of their own cluster and of providers that ' +
      'advertise `visibility: full`, and of the rest the verdict, score and band.',
    parameters: [reservationId],
    replies: { 200: { description: 'The explanation', schema: Explanation } },
    problems: ['ReservationNotFound'],
  },
  {
    id: 'evaluate',
    group: 'Explanations',
    method: 'post',
    path: '/evaluations',
    summary: 'The ranking for a request, changing nothing',
    who: 'Any cluster, for itself; operators for anybody.',
    body: ReservationRequest,
    replies: { 200: { description: 'The ranking', schema: Evaluation } },
    problems: ['InvalidRequest', 'NotYours'],
  },
  {
    id: 'listInstructions',
    group: 'Instructions',
    method: 'get',
    path: '/instructions',
    summary: 'What is held on the caller',
    who: 'Any provider, for itself.',
    notes:
      'The whole set, each time. Remove something only on an answer with the same Bourse-Ledger ' +
      'and a Bourse-Index not below the last one applied.',
    parameters: waiting,
    replies: { 200: { description: 'Reservations; `[]` when none', schema: Instructions } },
    problems: ['InvalidRequest'],
  },
  {
    id: 'streamEvents',
    group: 'Events',
    method: 'get',
    path: '/events',
    summary: 'Changes as they are committed, as server-sent events',
    who: 'Everybody their own, operators all.',
    notes:
      '`id:` is the journal index; reconnect with Last-Event-ID to miss nothing. A `reset` event ' +
      'says that too much was missed: read the lists again. Lines with a colon are heartbeats.',
    parameters: [
      { name: 'Last-Event-ID', in: 'header', description: 'Continue after this index.' },
    ],
    replies: {
      200: { description: 'A stream', schema: StreamEvent, mediaType: 'text/event-stream' },
    },
    problems: ['InvalidRequest'],
  },
  {
    id: 'audit',
    group: 'Operation',
    method: 'get',
    path: '/audit',
    summary: 'What the live auditor found',
    who: 'Operators.',
    replies: { 200: { description: 'The report', schema: AuditReport } },
    problems: ['OperatorOnly'],
  },
  {
    id: 'openapi',
    group: 'Operation',
    method: 'get',
    path: '/openapi.json',
    summary: 'This document',
    who: 'Anybody with a certificate.',
    replies: { 200: { description: 'OpenAPI 3.1' } },
    problems: [],
  },
  {
    id: 'health',
    group: 'Operation',
    method: 'get',
    path: '/healthz',
    summary: 'Whether the broker is there (also without the base path)',
    who: 'Anybody with a certificate; without one on the probe port.',
    replies: { 200: { description: 'It is', schema: Health } },
    problems: [],
  },
]

export const endpoints: readonly Endpoint[] = [...advertisements, ...reservations, ...questions]

/** Problems that any endpoint may answer with. */
export const everywhere = [
  'InvalidIdentity',
  'ClusterDenied',
  'CertificateRevoked',
  'RateLimited',
  'Unavailable',
] as const
