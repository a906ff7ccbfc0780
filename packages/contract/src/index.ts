/*
 * What broker, agents and tools agree on: every body, error, header and Kubernetes kind, once.
 *
 *   fields/      limits, quantities, printable text: what bodies are made of
 *   bodies/      requests and answers as zod schemas, each with its type
 *   answers/     error codes, headers, proofs
 *   endpoints/   the REST API, a row an endpoint
 *   documents/   OpenAPI, docs/api.md, the page of kinds and the .proto file, from the above
 *   kinds/       the Kubernetes kinds: fields, CEL rules, columns; config/crd/bases follows
 *   transports/  the same calls by gRPC and MQTT
 *
 * Modules without zod have exports of their own (package.json): agents load only those.
 */
export * from './answers/error-codes.ts'
export * from './answers/headers.ts'
export * from './answers/problem.ts'
export * from './bodies/advertisement.ts'
export * from './bodies/audit.ts'
export * from './bodies/event-stream.ts'
export * from './bodies/explanation.ts'
export * from './bodies/peering.ts'
export { priorityNote } from './bodies/priority-note.ts'
export * from './bodies/reservation.ts'
export { openApiDocument, openApiText } from './documents/openapi.ts'
export type { Endpoint } from './endpoints/endpoint.ts'
export { endpoints } from './endpoints/endpoints.ts'
export type { JsonSchema } from './fields/json-schema.ts'
export { validationSchema } from './fields/json-schema.ts'
export * from './fields/limits.ts'
export { printable, printableLines, unprintableIn } from './fields/printable.ts'
export * from './fields/quantities.ts'
export * from './kinds/names.ts'
