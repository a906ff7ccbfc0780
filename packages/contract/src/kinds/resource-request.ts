import { z } from 'zod'
import { Phase } from '../bodies/reservation.ts'
import { Amount, Amounts, amountsBy } from './amounts.ts'
import { durationStays, immutable, isPositive, isSame, isWhole, rules } from './cel.ts'
import { conditionFields, unanswered } from './conditions.ts'
import {
  DurationField,
  MessageField,
  MomentField,
  OneNodeField,
  optional,
  PriorityField,
} from './fields.ts'
import { AGE, column, defineKind } from './kind.ts'
import { AGENT_GROUP } from './names.ts'
import { Offload } from './offload.ts'

const gpuTwice = ['gpu', 'nvidia.com/gpu'].map(
  (name) =>
    `(!has(self.gpu) || !has(self.resources) || !('${name}' in self.resources) || ${isSame('self.gpu', `self.resources['${name}']`)})`,
)

export const ResourceRequestSpec = z
  .object({
    cpu: Amount.meta({ description: 'CPU, such as 500m or 2.' }),
    memory: Amount.meta({ description: 'Memory, such as 256Mi or 4Gi.' }),
    gpu: optional(Amount, 'GPUs (nvidia.com/gpu), in whole pieces.'),
    resources: optional(Amounts, amountsBy('Anything else that is wanted')),
    duration: optional(
      DurationField,
      'How long, such as 1h30m (default: as the broker is set, else until deleted). Changing it ' +
        'renews: counted from then.',
    ),
    priority: PriorityField,
    oneNode: OneNodeField,
    offload: Offload.optional(),
  })
  .meta(
    rules(
      {
        rule: `${isPositive('self.cpu')} || ${isPositive('self.memory')} || (has(self.gpu) && ${isPositive('self.gpu')}) || (has(self.resources) && self.resources.exists(name, ${isPositive('self.resources[name]')}))`,
        message: 'ask for a positive amount of at least one resource, such as cpu: "2"',
      },
      {
        rule: gpuTwice.join(' && '),
        message: 'gpu is given twice, with different amounts: give it once',
        fieldPath: '.gpu',
      },
      {
        rule: `!has(self.gpu) || ${isWhole('self.gpu')}`,
        message: 'gpu and other extended resources come in whole pieces',
        fieldPath: '.gpu',
      },
      ...['cpu', 'memory', 'gpu', 'resources', 'priority', 'oneNode', 'offload'].map(immutable),
      durationStays,
    ),
  )
export type ResourceRequestSpec = z.infer<typeof ResourceRequestSpec>

export const ResourceRequestStatus = z
  .object({
    phase: optional(
      Phase,
      'Pending (waiting), Reserved (capacity locked), Active (in use), Failed (never got capacity), Released (ended).',
    ),
    reason: optional(z.string().max(128), 'Why it ended.'),
    message: optional(MessageField, 'What happened and why, in a sentence.'),
    reservationName: optional(
      z.string().max(253),
      'The reservation at the broker; the ReservationInstruction here has this name.',
    ),
    targetClusterID: optional(z.string().max(253), 'The provider.'),
    targetClusterEndpoint: optional(z.string().max(2048), 'Where the provider is reached.'),
    expiresAt: optional(MomentField, 'When it ends by itself.'),
    ...conditionFields('Ready (capacity is locked), and the steps on the way to a usable node'),
  })
  .meta(unanswered('Waiting for the agent.'))
export type ResourceRequestStatus = z.infer<typeof ResourceRequestStatus>

export const resourceRequestKind = defineKind({
  group: AGENT_GROUP,
  kind: 'ResourceRequest',
  shortNames: ['rreq'],
  description:
    'ResourceRequest asks the exchange for capacity of another cluster. Create one to borrow, ' +
    'change its duration to renew, delete it to give the capacity back.',
  spec: ResourceRequestSpec,
  specDescription: 'What this cluster needs. Only the duration can be changed.',
  status: ResourceRequestStatus,
  columns: [
    column('CPU', '.spec.cpu', 'CPU asked for.'),
    column('Memory', '.spec.memory', 'Memory asked for.'),
    column('GPU', '.spec.gpu', 'GPUs asked for.'),
    column('Provider', '.status.targetClusterID', 'The cluster that lends.'),
    column('Phase', '.status.phase', 'The current state.'),
    column('Expires', '.status.expiresAt', 'When it ends by itself.'),
    column('Reservation', '.status.reservationName', 'Its name at the broker.', { priority: 1 }),
    column('Message', '.status.message', 'What happened and why.', { priority: 1 }),
    AGE,
  ],
  selectable: ['.status.phase', '.status.targetClusterID'],
})
