import { z } from 'zod'
import { RESOURCE_KINDS_MAX, RESOURCE_NAME_LENGTH_MAX } from './limits.ts'
import {
  DURATION_OR_NONE_PATTERN,
  DURATION_PATTERN,
  quantitiesForm,
  stated,
  wantedForm,
} from './stated.ts'

/** As answers carry them: strings, canonical or as the caller wrote the names. */
export const Quantities = z.record(z.string(), z.string()).meta({
  id: 'Quantities',
  description:
    'Amounts by resource name: `cpu`, `memory`, `gpu` (alias of `nvidia.com/gpu`), `storage` ' +
    '(alias of `ephemeral-storage`) or any extended name; Kubernetes quantities such as `500m`, `1.5Gi`.',
  example: { cpu: '500m', memory: '256Mi' },
})
export type Quantities = z.infer<typeof Quantities>

/** As callers may send them: numbers are understood, and null for "not given". */
export const QuantitiesInput = z
  .record(z.string().max(RESOURCE_NAME_LENGTH_MAX), z.union([z.string(), z.number(), z.null()]))
  .nullable()
  .meta({
    id: 'QuantitiesInput',
    description:
      'Quantities as sent: null means that the resource is not given, as an empty `gpu` or ' +
      '`storage` does.',
    maxProperties: RESOURCE_KINDS_MAX,
    example: { cpu: '2', memory: '4Gi' },
    ...stated(quantitiesForm),
  })
export type QuantitiesInput = z.infer<typeof QuantitiesInput>

/** What a request asks for: at least one amount. */
export const WantedInput = QuantitiesInput.meta({
  id: 'WantedInput',
  description: 'Quantities as asked for, at least one of them above zero.',
  ...stated(wantedForm),
})

export const Moment = z
  .string()
  .meta({ format: 'date-time', description: 'RFC 3339, in the time of the broker.' })

export const Duration = z.string().meta({
  description:
    'A Go duration such as `1h30m`, `90s`, `500ms`, or days (`7d`); at most `--max-duration`.',
  example: '1h30m',
  ...stated({ pattern: DURATION_PATTERN }),
})

/** Empty means none: a Go client cannot leave a field out. */
export const DurationOrNone = Duration.meta(stated({ pattern: `${DURATION_PATTERN}|^$` }))

export const Grace = z.string().meta({
  example: '10m',
  ...stated({ pattern: DURATION_OR_NONE_PATTERN }),
})

export const ClusterId = z.string().meta({
  description: 'DNS-1123 label of at most 63 characters; the Common Name of its certificate.',
  example: 'paris',
})
