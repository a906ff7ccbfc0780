import type { z } from 'zod'
import { type ErrorCode, errorCodes } from '../answers/error-codes.ts'
import {
  API_BASE,
  INDEX_HEADER,
  LEDGER_HEADER,
  PROBLEM_MEDIA_TYPE,
  PROOF_HEADER,
  SEEN_HEADER,
  TERM_HEADER,
} from '../answers/headers.ts'
import { Problem } from '../answers/problem.ts'
import { SEEN_PATTERN } from '../answers/proof.ts'
import type { Endpoint, Reply } from '../endpoints/endpoint.ts'
import { endpoints, everywhere, ofBodies } from '../endpoints/endpoints.ts'
import { documentSchema, type JsonSchema } from '../fields/json-schema.ts'
import { PLAIN_JSON, plainJsonForm } from '../fields/stated.ts'

const headers = {
  [LEDGER_HEADER]: { schema: { type: 'string' }, description: 'The ledger that answers.' },
  [INDEX_HEADER]: { schema: { type: 'integer' }, description: 'The journal index answered from.' },
  [TERM_HEADER]: { schema: { type: 'string' }, description: 'Another with each new leader.' },
  [PROOF_HEADER]: {
    schema: { type: 'string' },
    description: 'Proves how far the ledger has come: keep the newest, and send it in Bourse-Seen.',
  },
}

/** Any call may carry it. */
const seen: JsonSchema = {
  name: SEEN_HEADER,
  in: 'header',
  required: false,
  description: 'The Bourse-Ledger and the newest Bourse-Proof seen, with a slash between.',
  schema: { type: 'string', pattern: SEEN_PATTERN },
}

const written = new Map<string, string>()

/**
 * Written once in a process, when first asked for: it takes 50 ms. In ASCII alone: one other
 * character, and each time that it is sent it takes five times as long to encode.
 */
export function openApiText(version: string): string {
  const known = written.get(version)
  if (known !== undefined) return known
  const text = JSON.stringify(openApiDocument(version)).replace(NOT_ASCII, escaped)
  written.set(version, text)
  return text
}

const NOT_ASCII = /[^ -~]/g
const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/** OpenAPI 3.1, from the same schemas that validate. */
export function openApiDocument(version: string): JsonSchema {
  const schemas: JsonSchema = {}
  const ref = (schema: z.ZodType) => collect(schema, schemas)
  const paths: Record<string, JsonSchema> = {}
  for (const endpoint of endpoints) {
    const { path, method } = endpoint
    paths[path] = { ...paths[path], [method]: operation(endpoint, ref) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'bourse',
      version,
      description: 'A capacity exchange for Kubernetes clusters.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: API_BASE }],
    security: [{ clientCertificate: [] }],
    paths,
    components: {
      schemas,
      securitySchemes: {
        clientCertificate: {
          type: 'mutualTLS',
          description: 'The one Common Name of the leaf is the cluster id.',
        },
      },
    },
  }
}

type Ref = (schema: z.ZodType) => JsonSchema

function operation(endpoint: Endpoint, ref: Ref): JsonSchema {
  const notes = endpoint.notes === undefined ? '' : `\n\n${endpoint.notes}`
  return {
    operationId: endpoint.id,
    tags: [endpoint.group],
    summary: endpoint.summary,
    description: `${endpoint.who}${notes}`,
    parameters: [...(endpoint.parameters ?? []).map(parameterOf), seen],
    ...(endpoint.body && {
      requestBody: {
        required: endpoint.bodyOptional !== true,
        content: { 'application/json': { schema: bodyOf(endpoint.body, endpoint, ref) } },
      },
    }),
    responses: { ...repliesOf(endpoint, ref), ...problemsOf(endpoint, ref) },
  }
}

/** A body that may be left out may be null as well. */
function bodyOf(body: z.ZodType, { bodyOptional }: Endpoint, ref: Ref): JsonSchema {
  return bodyOptional ? { anyOf: [ref(body), { type: 'null' }] } : ref(body)
}

function parameterOf(parameter: NonNullable<Endpoint['parameters']>[number]): JsonSchema {
  const { example, required = parameter.in === 'path', schema, ...rest } = parameter
  return {
    ...rest,
    required,
    schema: schema ?? { type: 'string' },
    ...(example !== undefined && { example }),
  }
}

function repliesOf(endpoint: Endpoint, ref: Ref): JsonSchema {
  const entries = Object.entries(endpoint.replies)
  return Object.fromEntries(entries.map(([status, reply]) => [status, replyOf(reply, ref)]))
}

function replyOf({ description, schema, mediaType = 'application/json' }: Reply, ref: Ref) {
  const content = schema && { content: { [mediaType]: { schema: ref(schema) } } }
  return { description, headers, ...content }
}

/** One entry a status: several codes may share it. */
function problemsOf(endpoint: Endpoint, ref: Ref): JsonSchema {
  const byStatus = new Map<number, ErrorCode[]>()
  const codes = [...endpoint.problems, ...(endpoint.body ? ofBodies : []), ...everywhere]
  for (const code of codes) {
    const { status } = errorCodes[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  const content = { [PROBLEM_MEDIA_TYPE]: { schema: ref(Problem) } }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      { description: codes.join(', '), headers, content },
    ]),
  )
}

/** Moves a schema's named parts to the components and returns a reference to it. */
function collect(schema: z.ZodType, into: JsonSchema): JsonSchema {
  const { $defs = {}, ...rest } = documentSchema(schema)
  Object.assign(into, rebase({ ...($defs as JsonSchema), [PLAIN_JSON]: plainJsonForm }))
  return rebase(rest) as JsonSchema
}

function rebase(node: unknown): unknown {
  return JSON.parse(JSON.stringify(node).replaceAll('#/$defs/', '#/components/schemas/'))
}
