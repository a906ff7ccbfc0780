import { z } from 'zod'
import { PROOF_LENGTH_MAX } from '../answers/proof.ts'
import {
  CLUSTER_ID_LENGTH_MAX,
  CLUSTER_ID_PATTERN,
  ENDPOINT_URL_LENGTH_MAX,
  PRIORITY_MAX,
  PRIORITY_MIN,
} from '../fields/limits.ts'
import { rules } from './cel.ts'

const ID_FORM =
  'lower-case letters, digits and hyphens only, at most 63, beginning and ending with a letter or digit'
const DURATION_LENGTH_MAX = 64
const DURATION_PATTERN = '^[+]?(([0-9]+([.][0-9]*)?|[.][0-9]+)(d|h|m|s|ms|us|µs|μs|ns))+$'
const PRICE_PATTERN = '^([0-9]{1,9}([.][0-9]{1,9})?)?$'
const MESSAGE_LENGTH_MAX = 32_768

/** A field that may be left out, and what it says. */
export function optional<Field extends z.ZodType>(field: Field, description: string) {
  return field.optional().meta({ description })
}

/** A cluster id or the name of a requester: both are DNS-1123 labels. */
export function idField(what: string, { orEmpty = false } = {}) {
  const pattern = orEmpty ? `${CLUSTER_ID_PATTERN}|^$` : CLUSTER_ID_PATTERN
  return z
    .string()
    .max(CLUSTER_ID_LENGTH_MAX)
    .meta(rules({ rule: `self.matches('${pattern}')`, message: `${what} has ${ID_FORM}` }))
}

/** For RE2: no control, direction or invisible characters. */
const PLAIN_TEXT = '^[^\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]*$'

/** Free text that people will read. */
export function plainText(lengthMax: number) {
  return z.string().max(lengthMax).meta({ pattern: PLAIN_TEXT })
}

export const DurationField = z
  .string()
  .max(DURATION_LENGTH_MAX)
  .meta(
    rules(
      {
        rule: `self.matches('${DURATION_PATTERN}')`,
        message: 'write a duration such as 7d, 1h30m or 90s',
      },
      {
        // Without a digit other than 0 it is zero in any unit.
        rule: "self.matches('[1-9]')",
        message: 'a duration is longer than zero; without one, the broker decides',
      },
    ),
  )

export const PriorityField = z
  .int()
  .min(PRIORITY_MIN)
  .max(PRIORITY_MAX)
  .default(0)
  .meta({
    format: 'int32',
    description:
      'Of several waiting requests the highest priority is decided first; at most --max-priority ' +
      'counts. It does not affect which cluster is chosen.',
  })

export const OneNodeField = optional(
  z.boolean(),
  'All of it must fit on a single node of the provider (default: sums decide, and the message says ' +
    'where no node has as much).',
)

export const MomentField = z.string().meta({ format: 'date-time' })

export const EndpointField = z
  .string()
  .max(ENDPOINT_URL_LENGTH_MAX)
  .meta(
    rules({
      rule: "self == '' || (isURL(self) && url(self).getScheme() == 'https' && url(self).getHost() != '')",
      message: 'an endpoint is an https address, such as https://paris.example:6443',
    }),
  )

export const IndexField = z.int().min(0).meta({ format: 'int64' })

/** Which ledger wrote a status, and how far it was. */
export const ledgerStamp = {
  ledgerID: optional(z.string().max(64), 'The ledger that wrote this.'),
  ledgerIndex: optional(
    IndexField,
    'The journal index this status reflects; a lower one never overwrites it.',
  ),
  ledgerProof: optional(
    z.string().max(PROOF_LENGTH_MAX),
    'Proves how far the ledger was when this was written (Bourse-Proof).',
  ),
}

export const MessageField = z.string().max(MESSAGE_LENGTH_MAX)

export const CostField = z
  .object({
    cpuCost: price('a core-hour'),
    memoryCost: price('a GiB-hour'),
    gpuCost: price('a GPU-hour'),
    currency: optional(plainText(16), 'Such as USD.'),
  })
  .meta({
    description: 'What the cluster charges. Without a price it is ranked with the average price.',
    ...rules({
      rule: '(has(self.currency) && self.currency != "") || !(has(self.cpuCost) || has(self.memoryCost) || has(self.gpuCost))',
      message: 'a price needs a currency, such as USD',
    }),
  })

function price(of: string) {
  return z
    .string()
    .max(32)
    .optional()
    .meta({
      description: `Price of ${of}: a decimal such as "0.045".`,
      ...rules({
        rule: `self.matches('${PRICE_PATTERN}')`,
        message:
          'a price is a decimal of zero or more, such as "0.045", with at most 9 digits on either side of the point',
      }),
    })
}
