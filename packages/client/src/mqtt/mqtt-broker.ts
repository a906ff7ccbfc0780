import type { BrokerCommunicator } from '../communicator/broker-communicator.ts'
import type { Address } from '../http/broker-addresses.ts'
import { type RelayedOptions, startRelayedClient } from '../relayed/relayed-client.ts'
import { createMqttConnection } from './mqtt-connection.ts'
import { createMqttExchange } from './mqtt-exchange.ts'

/**
 * The address is `mqtts://host:port` of the MQTT server that the broker is connected to; of
 * several, the first one with a broker is used.
 */
export type MqttBrokerOptions = RelayedOptions &
  Readonly<{
    /** Our id: the Common Name of the certificate, by which the server's access list decides. */
    clusterId: string
  }>

const MQTTS = { read: readAddress, example: 'mqtts://HOST:PORT' }

/** A broker behind an MQTT server: the calls of the REST API as messages. */
export function openMqttBroker(options: MqttBrokerOptions): BrokerCommunicator {
  const { clusterId } = options
  const client = startRelayedClient(options, MQTTS)
  const { clock, files, brokers: servers, name, seen, timeoutMs, closing } = client
  const { exchange, close } = createMqttExchange({
    servers,
    clusterId,
    closing,
    name,
    timeoutMs,
    seen,
    clock,
    connect: (heard, cut) => createMqttConnection({ clusterId, files, timeoutMs, heard, cut }),
  })
  return client.communicator(exchange, close)
}

function readAddress(url: string): Address | undefined {
  const parsed = URL.parse(url)
  if (parsed?.protocol !== 'mqtts:' || parsed.host === '') return undefined
  return { origin: `mqtts://${parsed.host}`, base: '' }
}
