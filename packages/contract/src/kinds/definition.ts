import { z } from 'zod'
import type { JsonSchema } from '../fields/json-schema.ts'
import type { Column, KindDefinition } from './kind.ts'
import { structural } from './structural.ts'

export type CustomResourceDefinition = Readonly<{
  apiVersion: 'apiextensions.k8s.io/v1'
  kind: 'CustomResourceDefinition'
  metadata: Readonly<{ name: string }>
  spec: JsonSchema
}>

/** The CRD of a kind, as the API server takes it. */
export function definitionOf(kind: KindDefinition): CustomResourceDefinition {
  const { group, plural, singular, shortNames, categories } = kind
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural,
        singular,
        ...(shortNames.length > 0 && { shortNames }),
        ...(categories.length > 0 && { categories }),
      },
      scope: 'Namespaced',
      versions: [versionOf(kind)],
    },
  }
}

function versionOf(kind: KindDefinition): JsonSchema {
  const { version, columns, selectable, status } = kind
  return {
    name: version,
    served: true,
    storage: true,
    ...(status && { subresources: { status: {} } }),
    additionalPrinterColumns: columns.map(columnOf),
    ...(selectable.length > 0 && {
      selectableFields: selectable.map((jsonPath) => ({ jsonPath })),
    }),
    schema: { openAPIV3Schema: rootOf(kind) },
  }
}

function rootOf({ description, spec, specDescription, status, rules }: KindDefinition): JsonSchema {
  return {
    description,
    type: 'object',
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      spec: { description: specDescription, ...schemaOf(spec) },
      ...(status && {
        status: {
          description: 'The current state. Written by the broker or agent.',
          ...schemaOf(status),
        },
      }),
    },
    ...(rules.length > 0 && { 'x-kubernetes-validations': rules }),
  }
}

function columnOf({ name, jsonPath, type = 'string', description, priority }: Column): JsonSchema {
  return { name, type, jsonPath, description, ...(priority !== undefined && { priority }) }
}

function schemaOf(schema: z.ZodType): JsonSchema {
  const made = z.toJSONSchema(schema, { target: 'openapi-3.0', io: 'input' })
  return structural(made as JsonSchema)
}
