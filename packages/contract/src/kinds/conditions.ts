import { z } from 'zod'
import { IndexField, MessageField, MomentField } from './fields.ts'

const CONDITIONS_MAX = 32

const Condition = z.object({
  type: z.string().min(1).max(316).meta({ description: 'What this says something about.' }),
  status: z.enum(['True', 'False', 'Unknown']).meta({ description: 'Whether it holds.' }),
  observedGeneration: IndexField.optional().meta({
    description: 'The generation of spec that this was said about.',
  }),
  lastTransitionTime: MomentField.optional().meta({ description: 'When status last changed.' }),
  reason: z.string().max(1024).optional().meta({ description: 'One word for programs.' }),
  message: MessageField.optional().meta({ description: 'A sentence for people.' }),
})
export type Condition = z.infer<typeof Condition>

/**
 * Keyed by type, so that several writers keep their own with server-side apply. Only type and
 * status are required: a requester sets its condition with one short patch.
 */
export function conditions(types: string) {
  return z
    .array(Condition)
    .optional()
    .meta({
      description: `Conditions by type: ${types}. Made for \`kubectl wait --for=condition=…\`.`,
      maxItems: CONDITIONS_MAX,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    })
}
