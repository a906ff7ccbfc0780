import { z } from 'zod'
import { Amount, Amounts, amountsBy } from './amounts.ts'
import { conditionFields } from './conditions.ts'
import { idField, MessageField, MomentField, optional } from './fields.ts'
import { AGE, type Column, column, defineKind } from './kind.ts'
import { AGENT_GROUP } from './names.ts'
import { Offload } from './offload.ts'

const held = {
  reservationName: optional(z.string().max(253), 'The reservation it is about.'),
  requestedCPU: optional(Amount, 'CPU reserved.'),
  requestedMemory: optional(Amount, 'Memory reserved.'),
  requestedGPU: optional(Amount, 'GPUs reserved.'),
  requestedResources: optional(Amounts, amountsBy('All that is reserved')),
  message: optional(MessageField, 'The instruction, in a sentence.'),
  expiresAt: optional(MomentField, 'When it ends by itself.'),
}

const heldColumns: readonly Column[] = [
  column('CPU', '.spec.requestedCPU', 'CPU reserved.'),
  column('Memory', '.spec.requestedMemory', 'Memory reserved.'),
  column('GPU', '.spec.requestedGPU', 'GPUs reserved.'),
  column('Expires', '.spec.expiresAt', 'When it ends by itself.'),
]

export const ReservationInstructionSpec = z.object({
  ...held,
  targetClusterID: optional(idField('a cluster id'), 'The provider to use.'),
  targetClusterEndpoint: optional(z.string().max(2048), 'Where the provider is reached.'),
  offload: Offload.optional(),
})
export type ReservationInstructionSpec = z.infer<typeof ReservationInstructionSpec>

export const ReservationInstructionStatus = z.object({
  delivered: optional(z.boolean(), 'Whether the capacity can be used here.'),
  ...conditionFields(
    'Ready, and each step on the way: PeeringRequested, TenantReady, IdentityReady, SliceAccepted, ' +
      'NodeReady, NamespaceOffloaded',
  ),
})
export type ReservationInstructionStatus = z.infer<typeof ReservationInstructionStatus>

export const reservationInstructionKind = defineKind({
  group: AGENT_GROUP,
  kind: 'ReservationInstruction',
  shortNames: ['rinst'],
  description:
    'ReservationInstruction tells this cluster, the requester, which provider to use for a ' +
    'reservation. The agent writes and removes it; it has the name of the reservation.',
  spec: ReservationInstructionSpec,
  specDescription: 'What the broker granted.',
  status: ReservationInstructionStatus,
  columns: [
    column('Provider', '.spec.targetClusterID', 'The cluster that lends.'),
    ...heldColumns,
    column('Delivered', '.status.delivered', 'Whether it can be used.', { type: 'boolean' }),
    column('Message', '.spec.message', 'In a sentence.', { priority: 1 }),
    AGE,
  ],
})

export const ProviderInstructionSpec = z.object({
  ...held,
  requesterClusterID: optional(idField('a requester id'), 'The cluster or team that borrows.'),
})
export type ProviderInstructionSpec = z.infer<typeof ProviderInstructionSpec>

export const ProviderInstructionStatus = z.object({
  enforced: optional(z.boolean(), 'Whether the capacity is held here.'),
  ...conditionFields('Ready (the capacity is held), and each step on the way'),
})
export type ProviderInstructionStatus = z.infer<typeof ProviderInstructionStatus>

export const providerInstructionKind = defineKind({
  group: AGENT_GROUP,
  kind: 'ProviderInstruction',
  shortNames: ['pinst'],
  description:
    'ProviderInstruction tells this cluster, the provider, what it holds for a requester. The ' +
    'agent writes and removes it; it is named after the reservation, with -provider at its end.',
  spec: ProviderInstructionSpec,
  specDescription: 'What is held here.',
  status: ProviderInstructionStatus,
  columns: [
    column('Requester', '.spec.requesterClusterID', 'The cluster or team that borrows.'),
    ...heldColumns,
    column('Enforced', '.status.enforced', 'Whether it is held.', { type: 'boolean' }),
    column('Message', '.spec.message', 'In a sentence.', { priority: 1 }),
    AGE,
  ],
})
