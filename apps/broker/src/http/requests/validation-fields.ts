import {
  CLUSTER_ID_LENGTH_MAX,
  PROBLEM_FIELDS_MAX,
  type ProblemField,
  printable,
  TROUBLE_REASON_PATTERN,
} from '@bourse/contract'
import { nearestName } from '@bourse/daemon/nearest-name'
import { cut } from '../errors/broker-error.ts'
import { memberPath } from '../errors/field-check.ts'

/** What ajv reports; the parts of it that are used here. */
export type Violation = Readonly<{
  keyword: string
  instancePath: string
  schemaPath: string
  params: Readonly<Record<string, unknown>>
  /** Set where a name, and not a value, is wrong. */
  propertyName?: string
  /** The schema with the rule that is broken. */
  parentSchema?: Readonly<{ properties?: object; 'x-planned'?: readonly string[] }>
  message?: string
}>

/** A validator's findings in plain words, a field each. */
export function fieldsOf(violations: readonly Violation[]): ProblemField[] {
  const fields = new Map<string, ProblemField>()
  for (const violation of violations) {
    // The branches of a choice are not useful; the choice itself is.
    if (violation.schemaPath.includes('/anyOf/')) continue
    // The violation before this one has said what is wrong with the name.
    if (violation.keyword === 'propertyNames') continue
    // A body that may be left out is a choice too: what is wrong inside it was already named.
    if (isChoiceOfBody(violation) && fields.size > 0) continue
    const path = pathOf(violation)
    if (!fields.has(path)) fields.set(path, { path, message: messageOf(violation) })
    if (fields.size >= PROBLEM_FIELDS_MAX) break
  }
  return [...fields.values()]
}

function isChoiceOfBody({ keyword, instancePath }: Violation): boolean {
  return keyword === 'anyOf' && instancePath === ''
}

function pathOf({ instancePath, keyword, params, propertyName }: Violation): string {
  const names = instancePath.split('/').slice(1).map(unescapePointer)
  const name = propertyName ?? params.additionalProperty
  if (name !== undefined) names.push(printable(cut(String(name), SHOWN_NAME_MAX)))
  if (keyword === 'required') names.push(String(params.missingProperty))
  return names.reduce(memberPath, '') || 'body'
}

const SHOWN_NAME_MAX = 64

function unescapePointer(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~')
}

function messageOf(violation: Violation): string {
  const sentence = sentenceOf(violation)
  return violation.propertyName === undefined ? sentence : `the name ${sentence}`
}

function sentenceOf(violation: Violation): string {
  const { keyword, params, message = 'is not acceptable' } = violation
  return keyword === 'additionalProperties'
    ? whyUnknown(violation)
    : (SENTENCES[keyword]?.(params) ?? message)
}

/** A misspelt name would otherwise get its author something else than was meant. */
function whyUnknown({ params, parentSchema = {} }: Violation): string {
  const name = String(params.additionalProperty)
  if (parentSchema['x-planned']?.includes(name)) return 'is not supported yet: leave it out'
  const known = Object.keys(parentSchema.properties ?? {})
  if (known.length === 0) return 'is not known here, where nothing is taken: leave it out'
  const nearest = name.length > SHOWN_NAME_MAX ? undefined : nearestName(name, known)
  return nearest
    ? `is not known: did you mean ${nearest}?`
    : `is not known: there is ${known.join(', ')}`
}

const SENTENCES: Readonly<Record<string, (params: Violation['params']) => string>> = {
  required: () => 'is missing',
  type: ({ type }) => `must be ${typesOf(type)}`,
  enum: ({ allowedValues }) => `must be one of ${listOf(allowedValues)}`,
  pattern: ({ pattern }) =>
    pattern === TROUBLE_REASON_PATTERN
      ? 'must be one word that begins with a capital, such as ApiServerUnreachable'
      : `must be a DNS-1123 label: lower-case letters, digits and '-', at most ${CLUSTER_ID_LENGTH_MAX}`,
  maxLength: ({ limit }) => `is longer than ${limit} characters`,
  minLength: () => 'is empty',
  maxProperties: ({ limit }) => `has more than ${limit} entries`,
  minimum: ({ limit }) => `is less than ${limit}`,
  maximum: ({ limit }) => `is more than ${limit}`,
  anyOf: () => 'has the wrong form',
}

const ARTICLES: Readonly<Record<string, string>> = {
  object: 'an object',
  array: 'an array',
  integer: 'a whole number',
  number: 'a number',
  string: 'a string',
  boolean: 'true or false',
}

function typesOf(types: unknown): string {
  const named = [types].flat().filter((type) => type !== 'null')
  return named.map((type) => ARTICLES[String(type)] ?? String(type)).join(' or ')
}

function listOf(values: unknown): string {
  return [values]
    .flat()
    .filter((value) => value !== null)
    .join(', ')
}
