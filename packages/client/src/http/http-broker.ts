import type { BrokerCommunicator } from '../communicator/broker-communicator.ts'
import type { BrokerConsole } from '../communicator/broker-console.ts'
import {
  type Clock,
  createRetry,
  DEFAULT_RETRY,
  type RetryPolicy,
  realClock,
} from '../communicator/retry.ts'
import { createSeenProofs } from '../communicator/seen-proofs.ts'
import { createBrokerAddresses } from './broker-addresses.ts'
import { createCertificateFiles } from './certificate-files.ts'
import { createConnections, DEFAULT_TIMEOUTS, type Timeouts } from './connections.ts'
import { createExchange } from './exchange.ts'
import { createHttpCommunicator } from './http-communicator.ts'
import { createHttpConsole } from './http-console.ts'
import { createFaultNaming } from './name-fault.ts'

export type HttpBrokerOptions = Readonly<{
  /**
   * `https://host:port`, with or without the API's base path; several brokers of one ledger are
   * separated by commas. The leader is asked, even if it is not listed here.
   */
  url: string
  /** Directory with tls.crt, tls.key and ca.crt; read again when they change. */
  certPath: string
  /** Why its commands are given: kept with what they do. */
  reason?: string | undefined
  timeouts?: Partial<Timeouts>
  retry?: Partial<RetryPolicy>
  clock?: Partial<Clock>
}>

/** A broker's REST API, for agents and for people. */
export function createHttpBroker(options: HttpBrokerOptions): BrokerCommunicator & BrokerConsole {
  const clock = { ...realClock, ...options.clock }
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts }
  const policy = { ...DEFAULT_RETRY, ...options.retry }

  const { now } = clock
  const brokers = createBrokerAddresses(options.url, now)
  const files = createCertificateFiles(options.certPath, now)
  const connections = createConnections({ files, timeouts })
  const nameAt = createFaultNaming(files.flaw)
  const seen = createSeenProofs()
  const { reason } = options
  const exchange = createExchange({
    brokers,
    connections,
    timeouts,
    name: nameAt,
    seen,
    now,
    reason,
  })
  const name = (thrown: unknown) => nameAt(brokers.first().origin, thrown)
  const ports = { exchange, clock, name, persist: createRetry({ policy, clock, name }) }

  return {
    ...createHttpCommunicator(ports),
    ...createHttpConsole(ports),
    remember: seen.remember,
    close: () => connections.close(),
  }
}
