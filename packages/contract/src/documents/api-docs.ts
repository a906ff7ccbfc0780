import { type ErrorCode, errorCodes } from '../answers/error-codes.ts'
import { API_BASE } from '../answers/headers.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { endpoints, everywhere, ofBodies } from '../endpoints/endpoints.ts'
import { documentSchema, type JsonSchema } from '../fields/json-schema.ts'
import { RESOURCE_NAMES_LENGTH_MAX } from '../fields/limits.ts'
import { fieldTable, shape } from './field-table.ts'
import { openApiDocument } from './openapi.ts'

/** docs/api.md, for reading; the machine's copy of the same is /openapi.json. */
export function apiDocs(): string {
  const groups = [...new Set(endpoints.map(({ group }) => group))]
  return [
    INTRODUCTION,
    ...groups.flatMap((group) => [
      `## ${group}`,
      ...endpoints.filter((endpoint) => endpoint.group === group).map(endpointSection),
    ]),
    '## Bodies',
    ...bodySections(),
    '## Errors',
    errorTable(),
  ]
    .join('\n\n')
    .concat('\n')
}

const INTRODUCTION = `# REST API

*Written by \`make docs\` from the schemas that validate; do not edit.*

HTTPS with client certificates, port 8443, base path \`${API_BASE}\`. The caller is the one Common Name of
its certificate; an Organization \`bourse:admin\` makes it an operator. Every answer carries
\`Bourse-Ledger\` (the ledger's genesis id), \`Bourse-Index\` (the journal index it reflects),
\`Bourse-Term\` (another one with each start and each new leader: advertise at once) and
\`Bourse-Proof\` (below); \`Date\` is the broker's time.

**Unknown names.** A field or parameter that is not known is refused with 400, its path and the
nearest known name. An advertisement may have fields that are not known: they are ignored, and the
answer names them (\`ignored\`).

**Proofs.** \`Bourse-Proof: <index>.<hash>.<mac>\` says how far the ledger was when the answer was
written, in a form that only this ledger can make. Keep the newest of each ledger, over restarts
where you can, and send it with every request: \`Bourse-Seen: <Bourse-Ledger>/<Bourse-Proof>\`. A
broker that finds its own proof beyond its end knows that its store is an older copy: it answers
questions and refuses commands with 503 until an operator has decided. Any other index beyond
its end is refused with \`UnprovenIndex\`; a proof of another ledger is ignored.

**Long polls.** \`?wait=30s&after=<index>\` answers as soon as the set differs from what it was at that
index (without \`after\`: at arrival), at the latest after \`wait\` (a minute at most), with the whole set.
The cursor for the next question is the answer's \`Bourse-Index\`.

**Limits.** Bodies 1 MiB, headers 16 KiB, quantities below 2^63, durations above zero and at most
\`--max-duration\`, a rate per cluster (\`--rate-limit\`), of which expensive requests take more. The names of one set of
quantities have ${RESOURCE_NAMES_LENGTH_MAX} characters in all. A page ends at its \`limit\` or at 1 MiB, whichever comes first: follow
\`nextCursor\` until there is none.

**Anywhere.** Any endpoint may answer ${listOf(everywhere)}; one
that takes a body also ${listOf(ofBodies)}.`

function listOf(codes: readonly ErrorCode[]): string {
  return codes.map((code) => `\`${code}\``).join(', ')
}

function endpointSection(endpoint: Endpoint): string {
  const { method, path, summary, who, notes, parameters = [], body, replies, problems } = endpoint
  const lines = [`### ${method.toUpperCase()} ${path}`, `${summary}. *${who}*`]
  if (notes !== undefined) lines.push(notes)
  const facts = parameters
    .filter((parameter) => parameter.in !== 'path')
    .map(({ name, in: place, description }) => `- ${place} \`${name}\`: ${description}`)
  if (body)
    facts.push(
      `- body${endpoint.bodyOptional ? ' (optional)' : ''}: ${shape(documentSchema(body))}`,
    )
  for (const [status, { description, schema }] of Object.entries(replies))
    facts.push(
      `- **${status}** ${description}${schema ? `: ${shape(documentSchema(schema))}` : ''}`,
    )
  if (problems.length > 0)
    facts.push(
      `- problems: ${problems.map((code) => `${errorCodes[code].status} \`${code}\``).join(', ')}`,
    )
  return [...lines, facts.join('\n')].join('\n\n')
}

function bodySections(): string[] {
  const { components } = openApiDocument('') as {
    components: { schemas: Record<string, JsonSchema> }
  }
  const named = Object.entries(components.schemas).sort(([a], [b]) => a.localeCompare(b))
  return named.map(([name, schema]) => bodySection(name, schema))
}

function bodySection(name: string, schema: JsonSchema): string {
  const head = [`### ${name}`]
  if (typeof schema.description === 'string') head.push(schema.description)
  const variants = (schema.oneOf ?? schema.anyOf) as JsonSchema[] | undefined
  const tables = (variants ?? [schema]).filter((one) => one.properties).map(fieldTable)
  if (tables.length === 0 && variants === undefined) head.push(`Shape: ${shape(schema)}`)
  if (schema.example !== undefined)
    tables.push(`\`\`\`json\n${JSON.stringify(schema.example)}\n\`\`\``)
  return [...head, ...tables].join('\n\n')
}

function errorTable(): string {
  const rows = Object.entries(errorCodes).map(
    ([code, { status, title, next }]) => `| \`${code}\` | ${status} | ${title} | ${next} |`,
  )
  return ['| code | status | what happened | what to do |', '|---|---|---|---|', ...rows].join('\n')
}
