import type { BrokerCommunicator } from '../communicator/broker-communicator.ts'
import {
  type Clock,
  createRetry,
  DEFAULT_RETRY,
  type RetryPolicy,
  realClock,
} from '../communicator/retry.ts'
import { createSeenProofs } from '../communicator/seen-proofs.ts'
import { type Address, createBrokerAddresses } from '../http/broker-addresses.ts'
import { createCertificateFiles } from '../http/certificate-files.ts'
import { createHttpCommunicator } from '../http/http-communicator.ts'
import { createFaultNaming } from '../http/name-fault.ts'
import { createMqttConnection } from './mqtt-connection.ts'
import { createMqttExchange } from './mqtt-exchange.ts'

export type MqttBrokerOptions = Readonly<{
  /**
   * `mqtts://host:port` of the MQTT server that the broker is connected to; several are separated
   * by commas, and the first one with a broker is used.
   */
  url: string
  /** Our id: the Common Name of the certificate, by which the server's access list decides. */
  clusterId: string
  /** Directory with tls.crt, tls.key and ca.crt; read again when they change. */
  certPath: string
  timeoutMs?: number
  retry?: Partial<RetryPolicy>
  clock?: Partial<Clock>
}>

const TIMEOUT_MS = 10_000
const MQTTS = { read: readAddress, example: 'mqtts://HOST:PORT' }

/** A broker behind an MQTT server: the calls of the REST API as messages. */
export function openMqttBroker(options: MqttBrokerOptions): BrokerCommunicator {
  const { clusterId, timeoutMs = TIMEOUT_MS } = options
  const clock = { ...realClock, ...options.clock }
  const policy = { ...DEFAULT_RETRY, ...options.retry }
  const ending = new AbortController()

  const files = createCertificateFiles(options.certPath, clock.now)
  const servers = createBrokerAddresses(options.url, clock.now, MQTTS)
  const name = createFaultNaming(files.flaw)
  const seen = createSeenProofs()
  const { exchange, close } = createMqttExchange({
    servers,
    clusterId,
    closing: ending.signal,
    name,
    timeoutMs,
    seen,
    clock,
    connect: (heard, cut) => createMqttConnection({ clusterId, files, timeoutMs, heard, cut }),
  })
  const persist = createRetry({
    policy,
    clock,
    name: (thrown) => name(servers.first().origin, thrown),
  })

  return {
    ...createHttpCommunicator({ exchange, persist, clock }),
    remember: seen.remember,
    async close() {
      ending.abort()
      await close()
    },
  }
}

function readAddress(url: string): Address | undefined {
  const parsed = URL.parse(url)
  if (parsed?.protocol !== 'mqtts:' || parsed.host === '') return undefined
  return { origin: `mqtts://${parsed.host}`, base: '' }
}
