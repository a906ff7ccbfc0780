import { z } from 'zod'
import {
  CLUSTER_NAME_LENGTH_MAX,
  GPU_MODELS_MAX,
  LABEL_VALUE_LENGTH_MAX,
  LABELS_MAX,
  LOCATION_LENGTH_MAX,
  USED_MAX,
} from '../fields/limits.ts'
import { Amounts, amountsBy, IgnoredAmounts, OutputAmounts, UnruledAmounts } from './amounts.ts'
import { immutable, isAtMost, rules } from './cel.ts'
import { conditionFields } from './conditions.ts'
import {
  CostField,
  EndpointField,
  IndexField,
  idField,
  ledgerStamp,
  MessageField,
  MomentField,
  optional,
  plainText,
} from './fields.ts'
import { AGE, column, defineKind } from './kind.ts'
import { BROKER_GROUP } from './names.ts'

const Supply = z
  .object({
    capacity: Amounts.meta({ description: amountsBy('Everything the cluster has') }),
    allocatable: optional(
      Amounts,
      amountsBy('What pods may take of it (default: all of capacity)'),
    ),
    allocated: optional(
      Amounts,
      amountsBy(
        'What pods have taken, those that run for a reservation included (default: nothing)',
      ),
    ),
    reserved: optional(
      IgnoredAmounts,
      amountsBy('Held by live reservations. Written by the broker; what you put here is ignored'),
    ),
    available: optional(
      IgnoredAmounts,
      amountsBy('Left to reserve. Written by the broker; what you put here is ignored'),
    ),
  })
  .meta({
    description: 'What the cluster has, and what of it is taken.',
    ...rules({
      rule: `!has(self.allocatable) || self.allocatable.all(name, !(name in self.capacity) || ${isAtMost('self.allocatable[name]', 'self.capacity[name]')})`,
      message: 'allocatable is a part of capacity: no resource may have more of it',
      fieldPath: '.allocatable',
    }),
  })

export const ClusterAdvertisementSpec = z
  .object({
    clusterID: idField('a cluster id').meta({
      description: 'The cluster. Each cluster has one object: a second gets ClaimedElsewhere.',
    }),
    clusterName: optional(
      plainText(CLUSTER_NAME_LENGTH_MAX),
      'What people call it (default: the id).',
    ),
    resources: Supply,
    cost: CostField.optional(),
    timestamp: optional(
      MomentField,
      'Any new value says that the cluster is alive: patch it to refresh an advertisement made ' +
        "by hand. The broker's clock counts, not this value; it fills in an absent one.",
    ),
    endpointURL: optional(EndpointField, 'Where requesters reach the cluster: an https address.'),
    labels: z.record(z.string(), plainText(LABEL_VALUE_LENGTH_MAX)).optional().meta({
      maxProperties: LABELS_MAX,
      description: 'Labels of your choice, such as region: eu.',
    }),
    location: optional(
      plainText(LOCATION_LENGTH_MAX),
      'Where the cluster is, for people: "Paris, FR".',
    ),
    visibility: optional(
      z.enum(['full', 'summary']),
      'Whether other requesters see numbers, or only verdict and band by rounded ones (default).',
    ),
    used: z.record(z.string(), UnruledAmounts).optional().meta({
      maxProperties: USED_MAX,
      description: 'The part of allocated that runs for each reservation, by its id. From agents.',
    }),
    largestFit: optional(
      UnruledAmounts,
      amountsBy('The most of each resource that is free on a single node. From agents'),
    ),
    gpuModels: z.record(z.string(), z.int().min(0)).optional().meta({
      maxProperties: GPU_MODELS_MAX,
      description: 'GPUs by model, as the nodes name them. From agents.',
    }),
    liqo: z.looseObject({}).optional().meta({
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'What the cluster says of its Liqo, carried as it is. From agents.',
    }),
    seenIndex: optional(
      IndexField,
      'The ledger index of the last instructions that the agent applied. From agents.',
    ),
  })
  .meta(rules(immutable('clusterID')))
export type ClusterAdvertisementSpec = z.infer<typeof ClusterAdvertisementSpec>

export const ClusterAdvertisementStatus = z.object({
  phase: optional(
    z.enum(['Active', 'Stale']),
    'Stale: silent for too long; it gets nothing new and loses nothing.',
  ),
  active: optional(z.boolean(), 'Whether phase is Active.'),
  accepting: optional(
    z.enum(['open', 'cordoned', 'withdrawn']),
    'Whether an operator lets new reservations in.',
  ),
  score: optional(z.string().max(16), 'Base score without a request, 0 to 100: how free it is.'),
  reserved: optional(OutputAmounts, amountsBy('Held by live reservations')),
  available: optional(OutputAmounts, amountsBy('Left to reserve')),
  liveReservations: optional(IndexField, 'Live reservations held here.'),
  message: optional(MessageField, 'The current state, in a sentence.'),
  lastSeenAt: optional(
    MomentField,
    "When it was last heard, in the broker's time; written when something else changes.",
  ),
  ...conditionFields(
    'Ready (it is the one advertisement of its cluster, and counts), Stale, Overcommitted, ' +
      'Unpriced (its prices do not count: their currency has no rate), and Stalled (it is ignored until the object or its cause is changed)',
  ),
  ...ledgerStamp,
})
export type ClusterAdvertisementStatus = z.infer<typeof ClusterAdvertisementStatus>

export const clusterAdvertisementKind = defineKind({
  group: BROKER_GROUP,
  kind: 'ClusterAdvertisement',
  shortNames: ['cadv'],
  description:
    'ClusterAdvertisement says what one cluster offers to the exchange. Agents keep theirs up to ' +
    'date by themselves; for a cluster without an agent, write one by hand and patch ' +
    'spec.timestamp to keep it fresh.',
  spec: ClusterAdvertisementSpec,
  specDescription: 'What the cluster has, said by its agent or by you.',
  status: ClusterAdvertisementStatus,
  columns: [
    column('Cluster', '.spec.clusterID', 'The cluster.'),
    column('Phase', '.status.phase', 'Active, or Stale: nothing new.'),
    column('Ready', '.status.conditions[?(@.type=="Ready")].status', 'Whether it counts.'),
    column('Free-CPU', '.status.available.cpu', 'CPU left to reserve.'),
    column('Free-Memory', '.status.available.memory', 'Memory left to reserve.'),
    column('Free-GPU', ".status.available['nvidia\\.com/gpu','gpu']", 'GPUs left to reserve.'),
    column('Held', '.status.liveReservations', 'Live reservations held here.', { type: 'integer' }),
    column('Score', '.status.score', 'How free it is, 0 to 100.'),
    column('Reserved-CPU', '.status.reserved.cpu', 'CPU held by reservations.', { priority: 1 }),
    column('Reserved-Memory', '.status.reserved.memory', 'Memory held by reservations.', {
      priority: 1,
    }),
    column('Message', '.status.message', 'The current state.', { priority: 1 }),
    AGE,
  ],
  selectable: ['.spec.clusterID', '.status.phase'],
})
