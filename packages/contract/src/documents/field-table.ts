import type { JsonSchema } from '../fields/json-schema.ts'

/** Every field of an object, a row each, with the fields inside it. */
export function fieldTable(schema: JsonSchema): string {
  const rows = fieldRows(schema, '')
  return ['| field | shape | |', '|---|---|---|', ...rows].join('\n')
}

function fieldRows(schema: JsonSchema, prefix: string): string[] {
  const required = new Set(schema.required as string[] | undefined)
  // A JSON Schema's `properties` are schemas by name.
  const properties = (schema.properties ?? {}) as Record<string, JsonSchema>
  return Object.entries(properties).flatMap(([name, field]) => {
    const label = `${prefix}${name}${required.has(name) ? '' : '?'}`
    const row = `| \`${label}\` | ${shape(field)} | ${field.description ?? ''} |`
    const items = (field.items ?? {}) as JsonSchema
    if (items.properties) return [row, ...fieldRows(items, `${prefix}${name}[].`)]
    return field.properties ? [row, ...fieldRows(field, `${prefix}${name}.`)] : [row]
  })
}

/** A schema in a few words: a link, a type, the values it may have. */
export function shape(schema: JsonSchema): string {
  const ref = schema.$ref ?? (schema.allOf as JsonSchema[] | undefined)?.[0]?.$ref
  if (typeof ref === 'string') {
    const name = ref.split('/').at(-1) ?? ''
    return `[${name}](#${name.toLowerCase()})`
  }
  if (schema.const !== undefined) return `\`${schema.const}\``
  if (Array.isArray(schema.enum))
    return schema.enum
      .filter((value) => value !== null)
      .map((value) => `\`${value}\``)
      .join(', ')
  const variants = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined
  if (variants)
    return variants
      .filter((one) => one.type !== 'null')
      .map(shape)
      .join(' or ')
  if (schema.type === 'array') return `array of ${shape(schema.items as JsonSchema)}`
  if (isMap(schema)) return `map of ${shape(schema.additionalProperties as JsonSchema)}`
  const types = [schema.type ?? 'anything'].flat().filter((type) => type !== 'null')
  return types.join(' or ')
}

function isMap(schema: JsonSchema): boolean {
  return typeof schema.additionalProperties === 'object' && schema.properties === undefined
}
