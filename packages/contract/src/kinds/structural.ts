import type { JsonSchema } from '../fields/json-schema.ts'

/** What an API server understands of a schema, in the order in which a person reads it. */
const KEPT = [
  'description',
  'type',
  'format',
  'default',
  'enum',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'required',
  'properties',
  'additionalProperties',
  'items',
  'anyOf',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-validations',
] as const
const IGNORED: ReadonlySet<string> = new Set(['$schema', 'id', 'example', 'title'])

/**
 * Turns a JSON Schema into a structural one: every node has exactly one type, amounts are integers
 * or strings. An unknown keyword is an error: it would be lost silently.
 */
export function structural(node: JsonSchema, path = 'spec'): JsonSchema {
  const known = new Set<string>([...KEPT, ...IGNORED])
  const strange = Object.keys(node).find((key) => !known.has(key))
  if (strange) throw new Error(`${path}: a structural schema has no place for ${strange}`)
  const isAmount = node['x-kubernetes-int-or-string'] === true
  if (!isAmount && (typeof node.type !== 'string' || node.anyOf))
    throw new Error(`${path}: a structural schema has exactly one type everywhere`)

  const made: JsonSchema = {}
  for (const key of KEPT) if (node[key] !== undefined) made[key] = node[key]
  // Fields that are not known are pruned by the API server; saying so is not structural.
  if (node.properties) delete made.additionalProperties
  if (isAmount) made.anyOf = [{ type: 'integer' }, { type: 'string' }]
  // zod bounds every integer by what a double holds; the API server's are 64 bits wide.
  if (made.maximum === Number.MAX_SAFE_INTEGER) delete made.maximum
  if (made.minimum === Number.MIN_SAFE_INTEGER) delete made.minimum
  return { ...made, ...childrenOf(node, path) }
}

function childrenOf(node: JsonSchema, path: string): JsonSchema {
  const made: JsonSchema = {}
  if (node.properties) {
    // A JSON Schema's `properties` are schemas by name.
    const entries = Object.entries(node.properties as Record<string, JsonSchema>)
    made.properties = Object.fromEntries(
      entries.map(([name, child]) => [name, structural(child, `${path}.${name}`)]),
    )
  }
  if (isSchema(node.additionalProperties) && !node.properties)
    made.additionalProperties = structural(node.additionalProperties, `${path}[*]`)
  if (isSchema(node.items)) made.items = structural(node.items, `${path}[]`)
  return made
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
