import { z } from 'zod'
import { Actor } from '../fields/actor.ts'
import { ClusterId, Moment, Quantities } from '../fields/quantities.ts'
import { PeeringStep } from './peering.ts'
import { Reservation } from './reservation.ts'

const shared = {
  index: z.int(),
  at: Moment,
  by: Actor.optional().meta({
    description:
      'Who did it; absent if the cluster itself did it. Objects are named to operators only.',
  }),
  why: z.string().optional().meta({ description: 'The reason that the actor gave.' }),
}

/** One `data:` line of GET /events; the stream's `event:` is `kind`, its `id:` the index. */
export const StreamEvent = z
  .discriminatedUnion('kind', [
    z.object({
      kind: z.literal('reservation'),
      change: z.enum(['reserved', 'activated', 'renewed', 'released', 'drained']),
      ...shared,
      reservation: Reservation,
      decision: z
        .object({
          policy: z.string(),
          best: z.array(z.object({ clusterID: ClusterId, score: z.string() })),
          refused: z.record(z.string(), z.int()),
        })
        .optional()
        .meta({
          description:
            'With `reserved`, to operators: why there, in short. Others ask for the explanation.',
        }),
    }),
    z.object({
      kind: z.literal('cluster'),
      change: z.enum([
        'advertised',
        'staled',
        'returned',
        'open',
        'cordoned',
        'withdrawn',
        'decommissioned',
      ]),
      ...shared,
      clusterID: ClusterId,
      clusterName: z.string().optional(),
      resources: z
        .object({ capacity: Quantities, allocatable: Quantities, allocated: Quantities })
        .optional(),
    }),
    z.object({
      kind: z.literal('peering'),
      change: z.enum(['opened', 'posted', 'stuck', 'closed']),
      ...shared,
      id: z.string(),
      requesterID: ClusterId,
      providerID: ClusterId,
      step: PeeringStep.optional().meta({ description: 'With `posted`: which.' }),
      reason: z.string().optional().meta({
        description: 'With `stuck`: why. With `closed`: `Closed`, `Replaced` or `Expired`.',
      }),
    }),
    z.object({
      kind: z.literal('reset'),
      ...shared,
      message: z.string().meta({ description: 'Events were missed: read the lists again.' }),
    }),
  ])
  .meta({ id: 'StreamEvent' })
export type StreamEvent = z.infer<typeof StreamEvent>
