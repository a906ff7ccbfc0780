import type { BrokerCommunicator } from '../communicator/broker-communicator.ts'
import type { Address } from '../http/broker-addresses.ts'
import { createHttpCommunicator } from '../http/http-communicator.ts'
import { type ClientOptions, startClient } from '../http/start-client.ts'
import { createMqttConnection } from './mqtt-connection.ts'
import { createMqttExchange } from './mqtt-exchange.ts'

/**
 * The address is `mqtts://host:port` of the MQTT server that the broker is connected to; of
 * several, the first one with a broker is used.
 */
export type MqttBrokerOptions = ClientOptions &
  Readonly<{
    /** Our id: the Common Name of the certificate, by which the server's access list decides. */
    clusterId: string
    timeoutMs?: number
  }>

const TIMEOUT_MS = 10_000
const MQTTS = { read: readAddress, example: 'mqtts://HOST:PORT' }

/** A broker behind an MQTT server: the calls of the REST API as messages. */
export function openMqttBroker(options: MqttBrokerOptions): BrokerCommunicator {
  const { clusterId, timeoutMs = TIMEOUT_MS } = options
  const { clock, files, brokers, nameAt, persist, seen } = startClient(options, MQTTS)
  const ending = new AbortController()
  const { exchange, close } = createMqttExchange({
    servers: brokers,
    clusterId,
    closing: ending.signal,
    name: nameAt,
    timeoutMs,
    seen,
    clock,
    connect: (heard, cut) => createMqttConnection({ clusterId, files, timeoutMs, heard, cut }),
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
