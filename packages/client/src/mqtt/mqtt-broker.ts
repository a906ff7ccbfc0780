import type { BrokerCommunicator } from '../broker-communicator.ts'
import { createCertificateFiles } from '../http/certificate-files.ts'
import { createHttpCommunicator } from '../http/http-communicator.ts'
import { createFaultNaming } from '../http/name-fault.ts'
import {
  createRetry,
  DEFAULT_RETRY,
  type Patience,
  type RetryPolicy,
  realPatience,
} from '../retry.ts'
import { createMqttConnection } from './mqtt-connection.ts'
import { createMqttExchange } from './mqtt-exchange.ts'

export type MqttBrokerOptions = Readonly<{
  /** `mqtts://host:port` of the MQTT server that the broker is connected to. */
  url: string
  /** Who calls: the Common Name of the certificate, which the server's access list goes by. */
  clusterId: string
  /** Directory with tls.crt, tls.key and ca.crt; read again when they change. */
  certPath: string
  timeoutMs?: number
  retry?: Partial<RetryPolicy>
  patience?: Partial<Patience>
}>

const TIMEOUT_MS = 10_000

/** The broker behind an MQTT server: the conversation of the REST API in messages. */
export function openMqttBroker(options: MqttBrokerOptions): BrokerCommunicator {
  const { url, clusterId, timeoutMs = TIMEOUT_MS } = options
  if (URL.parse(url)?.protocol !== 'mqtts:')
    throw new TypeError(`${JSON.stringify(url)} is no address for MQTT: use mqtts://HOST:PORT.`)
  const patience = { ...realPatience, ...options.patience }
  const policy = { ...DEFAULT_RETRY, ...options.retry }
  const ending = new AbortController()

  const files = createCertificateFiles(options.certPath, patience.now)
  const nameAt = createFaultNaming(files.flaw)
  const name = (thrown: unknown) => nameAt(url, thrown)
  const { exchange, close } = createMqttExchange({
    ...{ clusterId, closing: ending.signal, name, timeoutMs, patience },
    connect: (heard, cut) => createMqttConnection({ url, clusterId, files, timeoutMs, heard, cut }),
  })
  const persist = createRetry({ policy, patience, name })

  return {
    ...createHttpCommunicator({ exchange, persist, patience }),
    async close() {
      ending.abort()
      await close()
    },
  }
}
