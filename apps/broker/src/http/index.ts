export type { Answered, ApiPorts, ApiSettings } from './create-api.ts'
export {
  createHttpServer,
  type EarlierDoor,
  type HttpServer,
  type HttpSettings,
} from './create-http-server.ts'
export { createProbing } from './probing.ts'
export { readTlsFiles, type TlsFiles } from './tls-files.ts'
export { createTrialCharge } from './trial-charge.ts'
