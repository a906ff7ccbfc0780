import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../fields/json-schema.ts'
import { agentKinds, brokerKinds, definitionOf, type KindDefinition } from './index.ts'
import { structural } from './structural.ts'

const kinds: readonly KindDefinition[] = [...brokerKinds, ...agentKinds]

describe('definitionOf', () => {
  it.each(kinds)('$kind explains each of its fields', (kind) => {
    expect(unexplained(rootOf(kind), kind.kind)).toEqual([])
  })

  it.each(kinds)('$kind shows its age last', ({ columns }) => {
    expect(columns.at(-1)).toMatchObject({ name: 'Age' })
  })

  it.each([
    { kind: 'ClusterAdvertisement', required: ['clusterID', 'resources'] },
    { kind: 'Reservation', required: ['requesterID', 'requestedResources'] },
    { kind: 'ResourceRequest', required: ['cpu', 'memory'] },
    { kind: 'Advertisement', required: undefined },
    { kind: 'ReservationInstruction', required: undefined },
    { kind: 'ProviderInstruction', required: undefined },
  ])('$kind requires only what the contract says', ({ kind, required }) => {
    const found = kinds.find((one) => one.kind === kind)

    const { spec } = propertiesOf(rootOf(found))

    expect(spec?.required).toEqual(required)
  })

  it.each(['Reservation', 'ResourceRequest'])('a %s is Pending from the first moment', (kind) => {
    const { status } = propertiesOf(rootOf(kinds.find((one) => one.kind === kind)))

    expect(status?.default).toMatchObject({
      phase: 'Pending',
      conditions: [{ type: 'Ready', status: 'Unknown', reason: 'Pending' }],
    })
  })
})

describe('structural', () => {
  it.each([
    { what: 'a choice of types', schema: { anyOf: [{ type: 'string' }, { type: 'object' }] } },
    { what: 'no type', schema: { type: 'object', properties: { a: {} } } },
    { what: 'words it does not know', schema: { type: 'string', contentEncoding: 'base64' } },
  ])('ends the generation at $what', ({ schema }) => {
    expect(() => structural(schema)).toThrow(/structural schema has/)
  })

  it('makes an amount an integer or a string', () => {
    const amount = { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'number' }], maxLength: 9 }

    expect(structural(amount)).toEqual({
      maxLength: 9,
      anyOf: [{ type: 'integer' }, { type: 'string' }],
      'x-kubernetes-int-or-string': true,
    })
  })

  it('drops the bounds of a double from integers', () => {
    const { MAX_SAFE_INTEGER: maximum, MIN_SAFE_INTEGER: minimum } = Number

    expect(structural({ type: 'integer', minimum, maximum })).toEqual({ type: 'integer' })
  })
})

function rootOf(kind: KindDefinition | undefined): JsonSchema {
  if (!kind) throw new Error('There is no such kind')
  // The shape that `definitionOf` itself has just made.
  const { versions } = definitionOf(kind).spec as {
    versions: [{ schema: { openAPIV3Schema: JsonSchema } }]
  }
  return versions[0].schema.openAPIV3Schema
}

function propertiesOf(schema: JsonSchema): Record<string, JsonSchema> {
  return (schema.properties ?? {}) as Record<string, JsonSchema>
}

/** The API server explains the three that every object has. */
const KNOWN = new Set(['apiVersion', 'kind', 'metadata'])

function unexplained(schema: JsonSchema, path: string): string[] {
  return Object.entries(propertiesOf(schema)).flatMap(([name, child]) => {
    const items = (child.items ?? {}) as JsonSchema
    const inner = [
      ...unexplained(child, `${path}.${name}`),
      ...unexplained(items, `${path}.${name}`),
    ]
    return child.description || KNOWN.has(name) ? inner : [`${path}.${name}`, ...inner]
  })
}
