import { z } from 'zod'
import { Phase } from '../bodies/reservation.ts'
import { amountsBy, WantedAmounts } from './amounts.ts'
import { durationStays, immutable, type Rule, rules } from './cel.ts'
import { conditionFields, unanswered } from './conditions.ts'
import {
  DurationField,
  IndexField,
  idField,
  ledgerStamp,
  MessageField,
  MomentField,
  OneNodeField,
  optional,
  PriorityField,
} from './fields.ts'
import { AGE, column, defineKind } from './kind.ts'
import { BROKER_GROUP } from './names.ts'

/** Kinds of refusals: there are seven, and room for more. */
const REFUSALS_MAX = 32

export const ReservationSpec = z
  .object({
    requesterID: idField('a requester id').meta({
      description:
        'Who borrows: a cluster id, or any name of a team. It need not be a known cluster.',
    }),
    requestedResources: WantedAmounts.meta({ description: amountsBy('What to reserve') }),
    duration: optional(
      DurationField,
      'How long, such as 1h30m (default: as the broker is set, else until released). Changing it ' +
        'renews: counted from then.',
    ),
    priority: PriorityField,
    targetClusterID: optional(
      idField('a cluster id', { orEmpty: true }),
      'Use only this provider. If empty, the broker chooses one and fills it in.',
    ),
    oneNode: OneNodeField,
  })
  .meta(
    rules(
      ...['requesterID', 'requestedResources', 'priority', 'oneNode'].map(immutable),
      durationStays,
      {
        rule: "!has(self.targetClusterID) || !has(oldSelf.targetClusterID) || oldSelf.targetClusterID == '' || self.targetClusterID == oldSelf.targetClusterID",
        message: 'a reservation does not move: delete this object and make another one',
        fieldPath: '.targetClusterID',
        reason: 'FieldValueForbidden',
      },
    ),
  )
export type ReservationSpec = z.infer<typeof ReservationSpec>

export const ReservationStatus = z
  .object({
    phase: optional(
      Phase,
      'Pending (waiting), Reserved (capacity locked), Active (in use), Released (ended), Failed (never got capacity).',
    ),
    reason: optional(
      z.string().max(128),
      'Why it ended (Expired, Released, Withdrawn, Preempted, RequesterGone) or failed ' +
        '(NoClusterFits and others).',
    ),
    message: optional(MessageField, 'What happened and why, in a sentence.'),
    reservationID: optional(
      z.string().max(253),
      'Its id in the ledger, as `bourse explain` and the REST API know it.',
    ),
    targetClusterID: optional(z.string().max(253), 'The provider.'),
    targetClusterEndpoint: optional(z.string().max(2048), 'Where the provider is reached.'),
    reservedAt: optional(MomentField, 'When the capacity was locked.'),
    activatedAt: optional(MomentField, 'When the requester confirmed its use.'),
    expiresAt: optional(MomentField, 'When it ends by itself.'),
    endedAt: optional(MomentField, 'When it ended.'),
    refused: z.record(z.string(), IndexField).optional().meta({
      description: 'When nothing fitted: how many clusters were refused, by reason.',
      maxProperties: REFUSALS_MAX,
      'x-kubernetes-map-type': 'atomic',
    }),
    ...conditionFields(
      'Ready (capacity is locked), Stalled (it ended, or never got any), and two that the requester ' +
        'writes: RequesterActive (in use) and RequesterReleased (no longer needed)',
    ),
    ...ledgerStamp,
  })
  .meta(unanswered('Waiting for the broker.'))
export type ReservationStatus = z.infer<typeof ReservationStatus>

const HAS_TARGET =
  "has(oldSelf.status) && has(oldSelf.status.targetClusterID) && oldSelf.status.targetClusterID != ''"

/** Each must hold when spec changes; the status beside it says how far things have gone. */
const changes: readonly Rule[] = [
  {
    rule: "!has(oldSelf.status) || !has(oldSelf.status.phase) || !(oldSelf.status.phase in ['Released', 'Failed']) || self.spec == oldSelf.spec || (has(self.spec.duration) == has(oldSelf.spec.duration) && (!has(self.spec.duration) || self.spec.duration == oldSelf.spec.duration))",
    message: 'this reservation has ended and cannot be renewed: make another one',
    fieldPath: '.spec.duration',
    reason: 'FieldValueForbidden',
  },
  {
    rule: `!(${HAS_TARGET}) || !has(self.spec.targetClusterID) || self.spec.targetClusterID in ['', oldSelf.status.targetClusterID] || (has(oldSelf.spec.targetClusterID) && self.spec.targetClusterID == oldSelf.spec.targetClusterID)`,
    message: 'a reservation does not move: delete this object and make another one',
    fieldPath: '.spec.targetClusterID',
    reason: 'FieldValueForbidden',
  },
]

export const reservationKind = defineKind({
  group: BROKER_GROUP,
  kind: 'Reservation',
  shortNames: ['rsv'],
  description:
    'Reservation locks capacity on a provider for a requester. Create one to ask for capacity, ' +
    'change its duration to renew, delete it to release. Every reservation of the exchange is ' +
    'shown as one, also those made over REST (named rsv-…).',
  spec: ReservationSpec,
  specDescription: 'What is wanted, by whom and for how long. Only the duration can be changed.',
  status: ReservationStatus,
  rules: changes,
  columns: [
    column('Requester', '.spec.requesterID', 'The cluster or team that borrows.'),
    column('CPU', '.spec.requestedResources.cpu', 'CPU asked for.'),
    column('Memory', '.spec.requestedResources.memory', 'Memory asked for.'),
    column('GPU', ".spec.requestedResources['nvidia\\.com/gpu','gpu']", 'GPUs asked for.'),
    column('Provider', '.status.targetClusterID', 'The cluster that lends.'),
    column('Phase', '.status.phase', 'The current state.'),
    column('Reason', '.status.reason', 'Why it ended or failed.'),
    column('Expires', '.status.expiresAt', 'When it ends by itself.'),
    column('Priority', '.spec.priority', 'Higher first.', { type: 'integer', priority: 1 }),
    column('Message', '.status.message', 'What happened and why.', { priority: 1 }),
    AGE,
  ],
  selectable: [
    '.spec.requesterID',
    '.spec.targetClusterID',
    '.status.phase',
    '.status.targetClusterID',
  ],
})
