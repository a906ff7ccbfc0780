import { z } from 'zod'
import { IndexField, MessageField, MomentField, optional } from './fields.ts'

const CONDITIONS_MAX = 32

const Condition = z.object({
  type: z.string().min(1).max(316).meta({ description: 'What this says something about.' }),
  status: z.enum(['True', 'False', 'Unknown']).meta({ description: 'Whether it holds.' }),
  observedGeneration: optional(IndexField, 'The generation of spec that this was said about.'),
  lastTransitionTime: optional(MomentField, 'When status last changed.'),
  reason: optional(z.string().max(1024), 'One word for programs.'),
  message: optional(MessageField, 'A sentence for people.'),
})
export type Condition = z.infer<typeof Condition>

/**
 * A status before its first answer, filled in by the API server: nothing is blank, not even before
 * the broker or the agent answers.
 */
export function unanswered(message: string) {
  const ready = { type: 'Ready', status: 'Unknown', reason: 'Pending', message }
  return { default: { phase: 'Pending', message, conditions: [ready] } }
}

/**
 * Part of every status. Conditions are keyed by type, so that several writers keep their own with
 * server-side apply. Only type and status are required: a requester sets its condition with one
 * short patch.
 */
export function conditionFields(types: string) {
  const conditions = z
    .array(Condition)
    .optional()
    .meta({
      description: `Conditions by type: ${types}. Made for \`kubectl wait --for=condition=…\`.`,
      maxItems: CONDITIONS_MAX,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    })
  const observedGeneration = optional(
    IndexField,
    'The generation of spec that this status answers.',
  )
  return { conditions, observedGeneration }
}
