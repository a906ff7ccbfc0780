import type { BrokerCommunicator } from '../communicator/broker-communicator.ts'
import {
  type Clock,
  createRetry,
  DEFAULT_RETRY,
  type RetryPolicy,
  realClock,
} from '../communicator/retry.ts'
import { createSeenProofs } from '../communicator/seen-proofs.ts'
import { createBrokerAddresses } from '../http/broker-addresses.ts'
import { createCertificateFiles } from '../http/certificate-files.ts'
import { createHttpCommunicator } from '../http/http-communicator.ts'
import { createFaultNaming } from '../http/name-fault.ts'
import { createGrpcConnections } from './grpc-connection.ts'
import { createGrpcExchange } from './grpc-exchange.ts'

export type GrpcBrokerOptions = Readonly<{
  /** `https://host:port`; several brokers of one ledger with commas between. */
  url: string
  /** Directory with tls.crt, tls.key and ca.crt; read again when they change. */
  certPath: string
  timeoutMs?: number
  retry?: Partial<RetryPolicy>
  clock?: Partial<Clock>
}>

const TIMEOUT_MS = 10_000

/** The broker's gRPC interface: the conversation of the REST API on one HTTP/2 connection. */
export function openGrpcBroker(options: GrpcBrokerOptions): BrokerCommunicator {
  const clock = { ...realClock, ...options.clock }
  const policy = { ...DEFAULT_RETRY, ...options.retry }
  const { timeoutMs = TIMEOUT_MS } = options
  const { now } = clock
  const ending = new AbortController()

  const files = createCertificateFiles(options.certPath, now)
  const brokers = createBrokerAddresses(options.url, now)
  const connections = createGrpcConnections({ files })
  const name = createFaultNaming(files.flaw)
  const closing = ending.signal
  const seen = createSeenProofs()
  const exchange = createGrpcExchange({ brokers, connections, closing, name, timeoutMs, seen, now })
  const persist = createRetry({
    policy,
    clock,
    name: (thrown) => name(brokers.first().origin, thrown),
  })

  return {
    ...createHttpCommunicator({ exchange, persist, clock }),
    remember: seen.remember,
    async close() {
      ending.abort()
      connections.close()
    },
  }
}
