import type { z } from 'zod'
import type { ErrorCode } from '../answers/error-codes.ts'
import type { JsonSchema } from '../fields/json-schema.ts'

export type Parameter = Readonly<{
  name: string
  in: 'path' | 'query' | 'header'
  description: string
  example?: string
  /** Path parameters always are. */
  required?: boolean
  /** Absent: any text. */
  schema?: JsonSchema
}>

export type Reply = Readonly<{ description: string; schema?: z.ZodType; mediaType?: string }>

/** One line of the API: what OpenAPI and docs/api.md are written from. */
export type Endpoint = Readonly<{
  id: string
  group: string
  method: 'get' | 'post' | 'put' | 'delete'
  path: string
  summary: string
  who: string
  notes?: string
  parameters?: readonly Parameter[]
  body?: z.ZodType
  bodyOptional?: boolean
  replies: Readonly<Record<number, Reply>>
  problems: readonly ErrorCode[]
}>

type Written = Omit<Endpoint, 'id' | 'group' | 'method' | 'path' | 'problems'> &
  Readonly<{ at: `${Uppercase<Endpoint['method']>} /${string}`; problems?: readonly ErrorCode[] }>

/** Endpoints under one heading of docs/api.md, by their ids; `at` is a method and a path. */
export function endpointsUnder(
  group: string,
  endpoints: Readonly<Record<string, Written>>,
): readonly Endpoint[] {
  return Object.entries(endpoints).map(([id, { at, problems = [], ...rest }]) => {
    const [method = '', path = ''] = at.split(' ')
    // Its type says that it is one of these.
    return {
      id,
      group,
      method: method.toLowerCase() as Endpoint['method'],
      path,
      ...rest,
      problems,
    }
  })
}
