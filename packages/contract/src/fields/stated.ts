import type { JsonSchema } from './json-schema.ts'
import { CLUSTER_ID_PATTERN, REQUEST_ID_LENGTH_MAX } from './limits.ts'
import { PRINTABLE_LINES_PATTERN, PRINTABLE_PATTERN } from './printable.ts'

/**
 * Some rules the broker checks in code, for better messages. `.meta(stated({…}))` puts them into the
 * documents, so that a request that follows the documents is accepted; validators do not see them.
 * Where JSON Schema cannot be exact, it allows less than the broker does, never more.
 */
export function stated(schema: JsonSchema): { stated: JsonSchema } {
  return { stated: schema }
}

const DECIMALS = '([.][0-9]{1,3})?'
/** Below the 720 h that --max-duration allows unless told otherwise. */
const SHORT_ENOUGH =
  `([1-6]?[0-9]{1,2}${DECIMALS}h)?([0-9]{1,3}${DECIMALS}m)?([0-9]{1,4}${DECIMALS}s)?` +
  '([0-9]{1,6}ms)?'

/** Longer than nothing. */
export const DURATION_PATTERN = `^(?=.*[1-9])${SHORT_ENOUGH}$|^720h$|^([1-9]|[12][0-9]|30)d$`
/** Zero and empty are allowed. */
export const DURATION_OR_NONE_PATTERN = `^${SHORT_ENOUGH}$|^720h$|^0$|^([12]?[0-9]|30)d$`

/** Space to tilde, as a header carries it. */
export const requestIdForm: JsonSchema = {
  type: 'string',
  pattern: '^[ -~]+$',
  maxLength: REQUEST_ID_LENGTH_MAX,
}
export const clusterIdForm: JsonSchema = { type: 'string', pattern: CLUSTER_ID_PATTERN }
export const indexForm: JsonSchema = {
  type: 'integer',
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
}

const OCTET = '(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])'
const HOST = `(([a-z0-9]([a-z0-9-]{0,40}[a-z0-9])?[.])*[a-z][a-z0-9]{0,40}|(${OCTET}[.]){3}${OCTET})`
/** An https address, or nothing. */
export const ENDPOINT_PATTERN = `^$|^https://${HOST}(:[0-9]{1,4})?(/[A-Za-z0-9._~/-]*)?$`
export const PRICE_PATTERN = '^$|^[0-9]{1,9}([.][0-9]{1,9})?$'
/** As Kubernetes has it: an optional DNS prefix, then a name. */
export const LABEL_NAME_PATTERN =
  '^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$'

const NAME_PATTERN =
  '^(cpu|memory|gpu|storage|ephemeral-storage|pods|hugepages-[1-9][0-9]{0,8}[KMGT]i' +
  '|[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?([.][a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?){0,2}' +
  '/[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)$'
/** Below this an amount is nothing. */
const AMOUNT_LEAST = 1e-9
const FRACTIONAL =
  '^[+]?([0-9]{1,15}([.][0-9]{0,3})?[num]?|[0-9]{1,6}([.][0-9]{0,3})?([kMG]|[KMG]i)' +
  '|[0-9]{1,3}([.][0-9]{0,3})?Ti?)$'
const WHOLE = '^[+]?([0-9]{1,15}|[0-9]{1,6}([kMGT]|[KMGT]i))$'
const OR_NOTHING = '|^$'

/** Extended resources are whole numbers, and an alias excludes its full name. */
export const quantitiesForm: JsonSchema = {
  propertyNames: { pattern: NAME_PATTERN },
  properties: {
    cpu: amountForm(FRACTIONAL),
    memory: amountForm(FRACTIONAL),
    'ephemeral-storage': amountForm(FRACTIONAL),
    storage: amountForm(FRACTIONAL + OR_NOTHING),
    gpu: amountForm(WHOLE + OR_NOTHING, { type: 'integer' }),
  },
  additionalProperties: amountForm(WHOLE, { type: 'integer' }),
  dependentSchemas: {
    gpu: { properties: { 'nvidia.com/gpu': false } },
    storage: { properties: { 'ephemeral-storage': false } },
  },
}

/** The description asks for one positive amount: test generators cannot handle `not`. */
export const wantedForm: JsonSchema = { ...quantitiesForm, type: 'object', minProperties: 1 }

function amountForm(pattern: string, number: JsonSchema = { type: 'number' }): JsonSchema {
  return {
    anyOf: [
      { type: 'string', pattern },
      { const: 0 },
      { minimum: AMOUNT_LEAST, maximum: Number.MAX_SAFE_INTEGER, ...number },
      { type: 'null' },
    ],
  }
}

export const PLAIN_JSON = 'PlainJson'
export const plainJson: JsonSchema = { $ref: `#/$defs/${PLAIN_JSON}` }

export const plainObjectForm: JsonSchema = {
  type: 'object',
  propertyNames: { pattern: PRINTABLE_PATTERN },
  additionalProperties: plainJson,
}

/** Any JSON whose strings are printable. */
export const plainJsonForm: JsonSchema = {
  description: 'Any JSON of at most 32 levels, without control characters in its texts.',
  anyOf: [
    { type: ['number', 'boolean', 'null'] },
    { type: 'string', pattern: PRINTABLE_LINES_PATTERN },
    { type: 'array', items: plainJson },
    plainObjectForm,
  ],
}
