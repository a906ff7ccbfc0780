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
} from './communicator/broker-communicator.ts'
export type {
  BrokerConsole,
  Page,
  PageQuery,
  PeeringQuery,
  ReservationAnswer,
  ReservationQuery,
} from './communicator/broker-console.ts'
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
} from './communicator/errors.ts'
export type { Clock, RetryPolicy } from './communicator/retry.ts'
export { createCertificateFiles } from './http/certificate-files.ts'
export { createHttpBroker, type HttpBrokerOptions } from './http/http-broker.ts'
