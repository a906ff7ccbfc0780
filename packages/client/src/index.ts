/**
 * How agents and tools talk to a broker.
 *
 * - `communicator/`: the port (`BrokerCommunicator`), its errors, retries and long polls. Every
 *   transport passes `broker-communicator.contract.ts`.
 * - `http/`: the REST API over mutual TLS; `BrokerConsole` adds what people ask.
 * - `grpc/`, `mqtt/`: the same calls on another carrier, by `relayed/`.
 * - `kubernetes/`: the same conversation through objects of the broker's API server.
 *
 * Start with `createHttpBroker`; `broker-communicator.ts` says what each call promises.
 */
export type * from './communicator/broker-communicator.ts'
export type * from './communicator/broker-console.ts'
export * from './communicator/errors.ts'
export type { Clock, RetryPolicy } from './communicator/retry.ts'
export { createCertificateFiles } from './http/certificate-files.ts'
export { createHttpBroker, type HttpBrokerOptions } from './http/http-broker.ts'
