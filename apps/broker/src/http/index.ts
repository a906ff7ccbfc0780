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
