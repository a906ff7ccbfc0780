export type {
  BrokerCommunicator,
  BrokerPeerings,
  InstructionsAnswer,
  PeeringOpened,
  PeeringsAnswer,
  Published,
  Released,
  ReservationOutcome,
  ReservationsAnswer,
  Stamp,
  Waiting,
  WatchOptions,
  Which,
} from './broker-communicator.ts'
export type {
  BrokerConsole,
  Page,
  PageQuery,
  PeeringQuery,
  ReservationAnswer,
  ReservationQuery,
} from './broker-console.ts'
export {
  BadAnswer,
  BrokerBusy,
  type BrokerFault,
  BrokerRefused,
  BrokerUnreachable,
  ClientClosed,
  IdentityRefused,
  isBrokerFault,
  type TimedOut,
} from './errors.ts'
export { createCertificateFiles } from './http/certificate-files.ts'
export { createHttpBroker, type HttpBrokerOptions } from './http/http-broker.ts'
export type { Patience, RetryPolicy } from './retry.ts'
