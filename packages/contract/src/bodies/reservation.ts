import { z } from 'zod'
import { Actor } from '../fields/actor.ts'
import {
  CLUSTER_ID_LENGTH_MAX,
  CLUSTER_ID_PATTERN,
  PRIORITY_MAX,
  PRIORITY_MIN,
  REQUEST_ID_LENGTH_MAX,
} from '../fields/limits.ts'
import {
  ClusterId,
  Duration,
  DurationOrNone,
  Moment,
  Quantities,
  WantedInput,
} from '../fields/quantities.ts'
import { stated } from '../fields/stated.ts'

const clusterIdOrNothing = z
  .string()
  .max(CLUSTER_ID_LENGTH_MAX)
  .regex(new RegExp(`${CLUSTER_ID_PATTERN}|^$`))
  .nullish()

/** Known from the plans, and refused by name until they exist. */
const PLANNED = [
  ...['startsAt', 'startsAfter', 'startBefore', 'endsBefore', 'durationMin', 'recurrence'],
  ...['pieces', 'spread', 'where', 'tolerations', 'accelerators', 'group', 'apart', 'together'],
  ...['maxPrice', 'maxLatency', 'prefer', 'data', 'firmness', 'confidence', 'grace', 'preempt'],
  ...['tenant', 'pool'],
]

/** What a requester posts, to reserve or only to ask what would happen. */
export const ReservationRequest = z
  .strictObject({
    requestedResources: WantedInput,
    priority: z
      .int()
      .min(PRIORITY_MIN)
      .max(PRIORITY_MAX)
      .nullish()
      .meta({
        description:
          'Higher goes first among requests that wait together. Except for operators it counts as ' +
          '`--max-priority` at most; the answer has the priority that counts.',
      }),
    duration: DurationOrNone.nullish(),
    requestId: z
      .string()
      .max(REQUEST_ID_LENGTH_MAX)
      .nullish()
      .meta({
        description:
          'Makes repeating safe: the same id and body again is the same reservation. ' +
          'Also as the header Idempotency-Key, with the same text if both are there.',
        ...stated({ pattern: '^[ -~]*$' }),
      }),
    targetClusterID: clusterIdOrNothing.meta({ description: 'Use only this provider.' }),
    requesterID: clusterIdOrNothing.meta({
      description: 'For operators: the requester to act for.',
    }),
    oneNode: z
      .boolean()
      .nullish()
      .meta({
        description:
          'All of it must fit on a single node. Without it sums decide, and the answer has ' +
          '`largestNode` where no node has as much.',
      }),
    queue: z
      .unknown()
      .optional()
      .meta({
        description: 'Refused until the waiting line exists.',
        ...stated({ enum: [null, false, 0, ''] }),
      }),
  })
  .meta({
    id: 'ReservationRequest',
    description: `Unknown fields are refused. Not supported yet: ${PLANNED.map((name) => `\`${name}\``).join(', ')}.`,
    'x-planned': PLANNED,
    example: {
      requestedResources: { cpu: '2', memory: '4Gi' },
      duration: '1h',
      requestId: 'job-7',
    },
  })
export type ReservationRequest = z.input<typeof ReservationRequest>

export const Phase = z.enum(['Pending', 'Reserved', 'Active', 'Released', 'Failed'])
export type Phase = z.infer<typeof Phase>

export const EndReason = z.enum(['Expired', 'Released', 'Withdrawn', 'RequesterGone', 'Preempted'])
export type EndReason = z.infer<typeof EndReason>

export const HourlyPrice = z
  .object({ perHour: z.string(), currency: z.string() })
  .meta({ id: 'HourlyPrice', example: { perHour: '0.18', currency: 'USD' } })
export type HourlyPrice = z.infer<typeof HourlyPrice>

export const Unpriced = z.string().meta({
  description: 'Why the prices of the cluster do not count: no rate is known for their currency.',
  example: 'prices in EUR do not count: no rate to USD is known',
})
/** Of a reservation and of a row. */
export const LARGEST_NODE =
  'A warning: no single node has as much free as wanted. What the largest has, of each resource ' +
  'for which that is so, as the cluster last advertised; rounded down if it hides its numbers.'

export const Reservation = z
  .object({
    id: z.string(),
    requesterID: ClusterId,
    targetClusterID: ClusterId,
    requestedResources: Quantities.meta({
      description: 'In instructions: the part that the caller itself holds.',
    }),
    status: z.object({
      phase: Phase,
      reason: EndReason.optional(),
      message: z.string(),
      inDoubt: z
        .boolean()
        .optional()
        .meta({ description: 'Its provider has been silent for too long; what it holds stays.' }),
      reservedAt: Moment.optional(),
      activatedAt: Moment.optional(),
      expiresAt: Moment.optional(),
      endedAt: Moment.optional(),
    }),
    createdAt: Moment,
    requestId: z.string().optional(),
    priority: z.int(),
    pinned: z.boolean().optional().meta({ description: 'The requester named this provider.' }),
    oneNode: z.boolean().optional().meta({ description: 'It was to fit on a single node.' }),
    largestNode: Quantities.optional().meta({ description: LARGEST_NODE }),
    endpointURL: z.string().optional().meta({ description: 'Where the provider is reached.' }),
    reason: EndReason.optional(),
    endedBy: Actor.optional().meta({
      description: 'Who ended it, where that was neither its requester nor the broker.',
    }),
    endedWhy: z.string().optional().meta({ description: 'The reason that the actor gave.' }),
    cost: HourlyPrice.optional(),
    index: z.int().meta({ description: 'Journal index of its last change.' }),
  })
  .meta({ id: 'Reservation' })
export type Reservation = z.infer<typeof Reservation>

export const ReservationList = z
  .object({ items: z.array(Reservation), nextCursor: z.string().optional() })
  .meta({ id: 'ReservationList' })
export type ReservationList = z.infer<typeof ReservationList>

export const Instructions = z.array(Reservation).meta({ id: 'Instructions' })
export type Instructions = z.infer<typeof Instructions>

export const RenewInput = z
  .strictObject({ duration: Duration })
  .meta({ id: 'RenewInput', description: 'Counted from now.', example: { duration: '2h' } })
export type RenewInput = z.input<typeof RenewInput>
