/**
 * The API over HTTPS. Begin with `server/create-api.ts`, which puts everything onto a server:
 *
 *   server/    HTTPS with client certificates, and the API for any transport
 *   tls/       certificates: read, watched, changed while connections are open
 *   callers/   who calls, whether it is admitted, and what each request costs it
 *   requests/  limits, body parsing and validation; errors/ is what they throw
 *   answers/   headers, errors, pages, long polls and the log
 *
 * Each other folder is a kind of route: advertisements, reservations, evaluations, explanations,
 * peerings and events. A route reads its input, submits a command and writes the outcome.
 */
export { createProbing } from './callers/probing.ts'
export { createTrialCharge } from './callers/trial-charge.ts'
export type { Answered, ApiPorts, ApiSettings } from './server/create-api.ts'
export {
  createHttpServer,
  type EarlierServer,
  type HttpServer,
  type HttpSettings,
} from './server/create-http-server.ts'
export { readTlsFiles, type TlsFiles } from './tls/tls-files.ts'
