import { z } from 'zod'
import { rules } from './cel.ts'

/** As many as the admission policy of the agent's chart asks about, one by one. */
const OFFLOADED_NAMESPACES_MAX = 16
const LABELS_MAX = 16
const LABEL_LENGTH_MAX = 63
const NAME_FORM = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'

const OFFLOAD_STRATEGIES = ['Local', 'Remote', 'LocalAndRemote'] as const

const NamespaceName = z
  .string()
  .max(63)
  .meta(
    rules({
      rule: `self.matches('${NAME_FORM}')`,
      message: 'this cannot be the name of a namespace: write one such as shop',
    }),
  )

/** Which namespaces may run on the borrowed node. */
export const Offload = z
  .object({
    namespaces: z.array(NamespaceName).optional().meta({
      description: 'Names of the namespaces. They must exist; the agent does not create them.',
      maxItems: OFFLOADED_NAMESPACES_MAX,
      'x-kubernetes-list-type': 'set',
    }),
    selector: z
      .object({
        matchLabels: z.record(z.string(), z.string().max(LABEL_LENGTH_MAX)).meta({
          description: 'Labels that a namespace must have, all of them.',
          maxProperties: LABELS_MAX,
          minProperties: 1,
        }),
      })
      .optional()
      .meta({
        description:
          'Also every namespace with these labels, those that get them later included. One that ' +
          'loses them stays offloaded until the reservation ends.',
      }),
    strategy: z
      .enum(OFFLOAD_STRATEGIES)
      .default('LocalAndRemote')
      .meta({
        description:
          'Where pods of these namespaces may run: LocalAndRemote (here and on borrowed nodes), ' +
          'Remote (on borrowed nodes only) or Local (only their Services are shared).',
      }),
  })
  .meta({
    description:
      'Namespaces whose pods may run on the borrowed node as soon as it is ready. At the end pods ' +
      'are moved away first, and nothing of the namespaces here is deleted.',
    ...rules({
      rule: '(has(self.namespaces) && size(self.namespaces) > 0) || has(self.selector)',
      message: 'name at least one namespace, or select some by their labels',
    }),
  })
export type Offload = z.infer<typeof Offload>
