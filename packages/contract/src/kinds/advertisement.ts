import { z } from 'zod'
import { CLUSTER_NAME_LENGTH_MAX } from '../limits.ts'
import { Amounts, amountsBy } from './amounts.ts'
import { conditions } from './conditions.ts'
import {
  CostField,
  EndpointField,
  IndexField,
  idField,
  MessageField,
  MomentField,
} from './fields.ts'
import { AGE, defineKind } from './kind.ts'
import { AGENT_GROUP } from './names.ts'

export const LocalAdvertisementSpec = z.object({
  clusterID: idField('a cluster id')
    .optional()
    .meta({ description: 'Who this cluster is to the broker.' }),
  clusterName: z
    .string()
    .max(CLUSTER_NAME_LENGTH_MAX)
    .optional()
    .meta({ description: 'What people call it.' }),
  resources: z
    .object({
      capacity: Amounts.optional().meta(amountsBy('Everything the cluster has')),
      allocatable: Amounts.optional().meta(amountsBy('What pods may take of it')),
      allocated: Amounts.optional().meta(amountsBy('What pods have taken')),
      reserved: Amounts.optional().meta(amountsBy('Held for others')),
      available: Amounts.optional().meta(amountsBy('Left to lend')),
    })
    .optional()
    .meta({ description: 'What the cluster has, as the agent measured it.' }),
  cost: CostField.optional(),
  timestamp: MomentField.optional().meta({ description: 'When it was measured.' }),
  endpointURL: EndpointField.optional().meta({ description: 'Where requesters reach it.' }),
})
export type LocalAdvertisementSpec = z.infer<typeof LocalAdvertisementSpec>

export const LocalAdvertisementStatus = z.object({
  phase: z.string().max(64).optional().meta({ description: 'How publishing stands.' }),
  published: z.boolean().optional().meta({ description: 'Whether the broker has it.' }),
  lastUpdateTime: MomentField.optional().meta({ description: 'When the broker last took it.' }),
  message: MessageField.optional().meta({ description: 'How it stands, in a sentence.' }),
  conditions: conditions(
    'Ready (the broker has what is measured here), LedgerConfirmed (it answers from the ledger ' +
      'that the instructions here are of), Measured (every node and pod could be read)',
  ),
  observedGeneration: IndexField.optional().meta({
    description: 'The generation of spec that this status answers.',
  }),
})
export type LocalAdvertisementStatus = z.infer<typeof LocalAdvertisementStatus>

export const advertisementKind = defineKind({
  group: AGENT_GROUP,
  kind: 'Advertisement',
  shortNames: ['adv'],
  description: 'Advertisement shows what this cluster offers to the exchange. Its agent writes it.',
  spec: LocalAdvertisementSpec,
  specDescription: 'What the agent measured.',
  status: LocalAdvertisementStatus,
  columns: [
    { name: 'Cluster', jsonPath: '.spec.clusterID', description: 'Who advertises.' },
    { name: 'CPU', jsonPath: '.spec.resources.available.cpu', description: 'CPU left to lend.' },
    {
      name: 'Memory',
      jsonPath: '.spec.resources.available.memory',
      description: 'Memory left to lend.',
    },
    {
      name: 'GPU',
      jsonPath: ".spec.resources.available['nvidia\\.com/gpu','gpu']",
      description: 'GPUs left to lend.',
    },
    {
      name: 'Published',
      jsonPath: '.status.published',
      type: 'boolean',
      description: 'Whether the broker has it.',
    },
    {
      name: 'Updated',
      jsonPath: '.status.lastUpdateTime',
      type: 'date',
      description: 'When the broker last took it.',
    },
    { name: 'Message', jsonPath: '.status.message', description: 'How it stands.', priority: 1 },
    AGE,
  ],
})
