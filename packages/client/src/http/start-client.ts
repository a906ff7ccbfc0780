import {
  type Clock,
  createRetry,
  DEFAULT_RETRY,
  type RetryPolicy,
  realClock,
} from '../communicator/retry.ts'
import { createSeenProofs } from '../communicator/seen-proofs.ts'
import { type AddressKind, createBrokerAddresses } from './broker-addresses.ts'
import { createCertificateFiles } from './certificate-files.ts'
import { createFaultNaming } from './name-fault.ts'

export type ClientOptions = Readonly<{
  /** Of the broker, or of the server before it; several of one ledger are separated by commas. */
  url: string
  /** Directory with tls.crt, tls.key and ca.crt; read again when they change. */
  certPath: string
  retry?: Partial<RetryPolicy>
  clock?: Partial<Clock>
}>

/** The parts that every client with a certificate has, by HTTP, gRPC or MQTT. */
export function startClient(options: ClientOptions, kind?: AddressKind) {
  const clock = { ...realClock, ...options.clock }
  const policy = { ...DEFAULT_RETRY, ...options.retry }
  const files = createCertificateFiles(options.certPath, clock.now)
  const brokers = createBrokerAddresses(options.url, clock.now, kind)
  const nameAt = createFaultNaming(files.flaw)
  const name = (thrown: unknown) => nameAt(brokers.first().origin, thrown)
  const persist = createRetry({ policy, clock, name })
  return { clock, files, brokers, nameAt, name, persist, seen: createSeenProofs() }
}
