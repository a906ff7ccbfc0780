import { z } from 'zod'

export type JsonSchema = { [key: string]: unknown }

type Options = Readonly<{ target: 'draft-7' | 'draft-2020-12'; io: 'input' | 'output' }>

/** The schema a validator compiles: draft 7, which is what fastify's ajv speaks. */
export function validationSchema(schema: z.ZodType): JsonSchema {
  return plain(schema, { target: 'draft-7', io: 'input' })
}

/** The schema that OpenAPI 3.1 embeds; named parts are left under `$defs`. */
export function documentSchema(schema: z.ZodType): JsonSchema {
  return plain(schema, { target: 'draft-2020-12', io: 'input' })
}

function plain(schema: z.ZodType, { target, io }: Options): JsonSchema {
  const made = z.toJSONSchema(schema, {
    target,
    io,
    override: ({ jsonSchema }) => simplify(jsonSchema as JsonSchema),
  }) as JsonSchema
  delete made.$schema
  return settled(made, { isDocument: target === 'draft-2020-12' })
}

/** `stated` becomes part of documents; validators do not see it. */
function settled(node: JsonSchema, to: Readonly<{ isDocument: boolean }>): JsonSchema {
  const { stated: said, ...rest } = node
  const whole = to.isDocument ? { ...rest, ...(said as JsonSchema | undefined) } : rest
  const made = Object.entries(whole).map(([name, value]) => [name, settledValue(value, to)])
  return Object.fromEntries(made)
}

function settledValue(value: unknown, to: Readonly<{ isDocument: boolean }>): unknown {
  if (Array.isArray(value)) return value.map((one) => settledValue(one, to))
  const isNode = typeof value === 'object' && value !== null
  return isNode ? settled(value as JsonSchema, to) : value
}

/** So that validators report one plain sentence per field, not "must match a schema in anyOf". */
function simplify(node: JsonSchema): void {
  const options = node.anyOf
  if (Array.isArray(options) && options.length === 2 && options[1]?.type === 'null') {
    const { type, ...rest } = options[0] as JsonSchema
    if (typeof type === 'string') {
      delete node.anyOf
      Object.assign(node, rest, { type: [type, 'null'], ...pick(node, 'description') })
      if (Array.isArray(node.enum)) node.enum = [...node.enum, null]
    }
  }
  if (node.maximum === Number.MAX_SAFE_INTEGER) delete node.maximum
  if (node.minimum === Number.MIN_SAFE_INTEGER) delete node.minimum
  // A loose object takes unknown fields, a strict one refuses them.
  if (isEmptyObject(node.additionalProperties) && node.properties) delete node.additionalProperties
  if (isJustString(node.propertyNames)) delete node.propertyNames
}

function pick(node: JsonSchema, key: string): JsonSchema {
  return key in node ? { [key]: node[key] } : {}
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

function isJustString(value: unknown): boolean {
  return isEmptyObject(value) || JSON.stringify(value) === '{"type":"string"}'
}
