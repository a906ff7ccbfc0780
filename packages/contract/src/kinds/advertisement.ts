import { z } from 'zod'
import { CLUSTER_NAME_LENGTH_MAX } from '../fields/limits.ts'
import { Amounts, amountsBy } from './amounts.ts'
import { rules } from './cel.ts'
import { ClusterAdvertisementSpec } from './cluster-advertisement.ts'
import { conditionFields } from './conditions.ts'
import { CostField, EndpointField, idField, MessageField, MomentField, optional } from './fields.ts'
import { AGE, column, defineKind } from './kind.ts'
import { AGENT_GROUP } from './names.ts'

const SHARE_PATTERN = '^(all|none|(100|[0-9]{1,2})%)$'

const SharingField = z
  .object({
    share: z
      .string()
      .max(8)
      .optional()
      .meta({
        description:
          'all, none (this cluster only borrows), or a percentage of each resource, such as 50%.',
        ...rules({
          rule: `self.matches('${SHARE_PATTERN}')`,
          message: 'share is all, none or a percentage of 0% to 100%, such as 50%',
        }),
      }),
    amounts: optional(
      Amounts,
      amountsBy('Instead of share: at most these amounts are lent, and nothing of other resources'),
    ),
    keepBack: optional(Amounts, amountsBy('Amounts that stay free for this cluster itself')),
  })
  .meta({
    description:
      'Limits on what is lent, for you to write, obeyed at once. Each of share (or amounts) and ' +
      "keepBack wins over the agent's flag; what is left out is as the flags say.",
    ...rules({
      rule: '!has(self.share) || !has(self.amounts)',
      message: 'give share or amounts, not both',
    }),
  })
export type SharingField = z.infer<typeof SharingField>

/** The same fields as in the object that the broker reads. */
const { labels, location, visibility, largestFit, gpuModels } = ClusterAdvertisementSpec.shape

export const LocalAdvertisementSpec = z.object({
  clusterID: optional(idField('a cluster id'), 'The id of this cluster at the broker.'),
  clusterName: optional(z.string().max(CLUSTER_NAME_LENGTH_MAX), 'What people call it.'),
  resources: z
    .object({
      capacity: optional(Amounts, amountsBy('Everything the cluster has')),
      allocatable: optional(Amounts, amountsBy('What pods may take of it')),
      allocated: optional(Amounts, amountsBy('What pods have taken')),
      reserved: optional(Amounts, amountsBy('Held for others')),
      available: optional(Amounts, amountsBy('Left to lend')),
    })
    .optional()
    .meta({ description: 'What the cluster has, as the agent measured it.' }),
  cost: CostField.optional(),
  timestamp: optional(MomentField, 'When the broker took this.'),
  endpointURL: optional(EndpointField, 'Where requesters reach it.'),
  // Without `used`, which has a line for each reservation: etcd limits the size of an object.
  labels,
  location,
  visibility,
  largestFit,
  gpuModels,
  sharing: SharingField.optional(),
})
export type LocalAdvertisementSpec = z.infer<typeof LocalAdvertisementSpec>

export const LocalAdvertisementStatus = z.object({
  phase: optional(z.string().max(64), 'The state of publishing.'),
  published: optional(z.boolean(), 'Whether the broker has it.'),
  lastUpdateTime: optional(
    MomentField,
    'When the broker last took something new; heartbeats are not written.',
  ),
  message: optional(MessageField, 'The current state, in a sentence.'),
  ...conditionFields(
    'Ready (the broker has what is measured here), LedgerConfirmed (it answers from the ledger ' +
      'that the instructions here are of), Measured (every node and pod could be read), Sharing ' +
      '(what is lent at most), EndpointKnown (where requesters reach this API server, and who says so)',
  ),
})
export type LocalAdvertisementStatus = z.infer<typeof LocalAdvertisementStatus>

export const advertisementKind = defineKind({
  group: AGENT_GROUP,
  kind: 'Advertisement',
  shortNames: ['adv'],
  description:
    'Advertisement shows what this cluster offers to the exchange. Its agent writes it, but for ' +
    'spec.sharing, which limits what is lent.',
  spec: LocalAdvertisementSpec,
  specDescription: 'What the agent measured, and what of it may be lent.',
  status: LocalAdvertisementStatus,
  columns: [
    column('Cluster', '.spec.clusterID', 'The cluster.'),
    column('CPU', '.spec.resources.available.cpu', 'CPU left to lend.'),
    column('Memory', '.spec.resources.available.memory', 'Memory left to lend.'),
    column('GPU', ".spec.resources.available['nvidia\\.com/gpu','gpu']", 'GPUs left to lend.'),
    column('Published', '.status.published', 'Whether the broker has it.', { type: 'boolean' }),
    column('Updated', '.status.lastUpdateTime', 'When the broker last took something new.', {
      type: 'date',
    }),
    column('Message', '.status.message', 'The current state.', { priority: 1 }),
    AGE,
  ],
})
