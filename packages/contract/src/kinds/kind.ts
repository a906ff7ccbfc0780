import type { z } from 'zod'
import type { Rule } from './cel.ts'
import { CATEGORY, KINDS_VERSION } from './names.ts'

/** A column of `kubectl get`; one with a priority above 0 shows with `-o wide` only. */
export type Column = Readonly<{
  name: string
  jsonPath: string
  description: string
  type?: 'string' | 'integer' | 'date' | 'boolean'
  priority?: number
}>

/** All there is to know about a kind: enough for a client to call it, and for its CRD. */
export type KindDefinition<
  Spec extends z.ZodType = z.ZodType,
  Status extends z.ZodType = z.ZodType,
> = Readonly<{
  group: string
  version: string
  plural: string
  singular: string
  kind: string
  namespaced: true
  shortNames: readonly string[]
  categories: readonly string[]
  /** The first thing `kubectl explain` says. */
  description: string
  spec: Spec
  specDescription: string
  status?: Status
  columns: readonly Column[]
  /** Rules that see spec and status together. */
  rules: readonly Rule[]
  /** What `kubectl get --field-selector` understands. */
  selectable: readonly string[]
}>

type Given<Spec extends z.ZodType, Status extends z.ZodType> = Partial<
  KindDefinition<Spec, Status>
> &
  Pick<KindDefinition<Spec, Status>, 'group' | 'kind' | 'description' | 'spec' | 'specDescription'>

export function defineKind<Spec extends z.ZodType, Status extends z.ZodType>(
  given: Given<Spec, Status>,
): KindDefinition<Spec, Status> {
  const singular = given.kind.toLowerCase()
  return {
    version: KINDS_VERSION,
    plural: `${singular}s`,
    singular,
    namespaced: true,
    shortNames: [],
    categories: [CATEGORY],
    columns: [],
    rules: [],
    selectable: [],
    ...given,
  }
}

type ColumnOptions = Pick<Column, 'type' | 'priority'>

export function column(
  name: string,
  jsonPath: string,
  description: string,
  options: ColumnOptions = {},
): Column {
  return { name, jsonPath, description, ...options }
}

export const AGE = column('Age', '.metadata.creationTimestamp', 'How long ago it was created.', {
  type: 'date',
})
