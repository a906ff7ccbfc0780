import { AuditReport, Health } from '../bodies/audit.ts'
import { StreamEvent } from '../bodies/event-stream.ts'
import { Evaluation, Explanation } from '../bodies/explanation.ts'
import { Instructions, ReservationRequest } from '../bodies/reservation.ts'
import { LAST_EVENTS_MAX } from '../fields/limits.ts'
import { indexForm } from '../fields/stated.ts'
import { endpointsUnder } from './endpoint.ts'
import { reservationId, waiting } from './parameters.ts'

export const questionEndpoints = [
  ...endpointsUnder('Explanations', {
    explain: {
      at: 'GET /reservations/{id}/explanation',
      summary: 'Why this cluster, and why not the others',
      who: 'Its requester, operators.',
      notes:
        'Operators see all numbers; others those of their own cluster and of providers that ' +
        'advertise `visibility: full`. Of the rest they see verdict and band, by rounded amounts: the ' +
        'decision was made on exact ones, so that the chosen cluster may not fit by these.',
      parameters: [reservationId],
      replies: { 200: { description: 'The explanation', schema: Explanation } },
      problems: ['NotYours', 'ReservationNotFound'],
    },
    evaluate: {
      at: 'POST /evaluations',
      summary: 'The ranking for a request, changing nothing',
      who: 'Any cluster, for itself; operators for any cluster.',
      notes:
        'Clusters that hide their numbers from the caller are judged by amounts rounded down to two ' +
        'significant bits (`rounded`): at the margin a reservation, which is decided on exact amounts, ' +
        'may succeed where this says no. More than 32 different amounts on one such cluster in ten ' +
        'minutes are slowed down, each twice as long as the one before (429).',
      body: ReservationRequest,
      replies: { 200: { description: 'The ranking', schema: Evaluation } },
      problems: ['NotYours'],
    },
  }),
  ...endpointsUnder('Instructions', {
    listInstructions: {
      at: 'GET /instructions',
      summary: 'What is held on the caller',
      who: 'Any provider, for itself.',
      notes:
        'The whole set, each time. Remove something only on an answer with the same Bourse-Ledger ' +
        'and a Bourse-Index not below the last one applied.',
      parameters: waiting,
      replies: { 200: { description: 'Reservations; `[]` when none', schema: Instructions } },
    },
  }),
  ...endpointsUnder('Events', {
    streamEvents: {
      at: 'GET /events',
      summary: 'Changes as they are committed, as server-sent events',
      who: 'Every cluster, for its own; operators, for all.',
      notes:
        '`id:` is the journal index; reconnect with Last-Event-ID to miss nothing. A `reset` event ' +
        'says that too much was missed: read the lists again. Lines with a colon are heartbeats.',
      parameters: [
        {
          name: 'after',
          in: 'query',
          description: 'Start after this index instead of now.',
          schema: indexForm,
        },
        {
          name: 'last',
          in: 'query',
          description:
            'Begin with the last so many events for the caller, as far as they are kept; ' +
            'advertisements come along and are not counted. `after` wins over it.',
          schema: { type: 'integer', minimum: 1, maximum: LAST_EVENTS_MAX },
        },
        {
          name: 'Last-Event-ID',
          in: 'header',
          description: 'As `after`, and wins over it.',
          schema: indexForm,
        },
      ],
      replies: {
        200: { description: 'A stream', schema: StreamEvent, mediaType: 'text/event-stream' },
      },
    },
  }),
  ...endpointsUnder('Operation', {
    audit: {
      at: 'GET /audit',
      summary: 'What the live auditor found',
      who: 'Operators.',
      replies: { 200: { description: 'The report', schema: AuditReport } },
      problems: ['OperatorOnly'],
    },
    openapi: {
      at: 'GET /openapi.json',
      summary: 'This document',
      who: 'Any caller with a certificate.',
      replies: { 200: { description: 'OpenAPI 3.1' } },
    },
    health: {
      at: 'GET /healthz',
      summary: 'Whether the broker runs (also without the base path)',
      who: 'Any caller with a certificate; without one on the probe port.',
      replies: { 200: { description: 'It runs', schema: Health } },
    },
  }),
]
