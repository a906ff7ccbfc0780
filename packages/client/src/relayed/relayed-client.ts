import type { BrokerCommunicator } from '../communicator/broker-communicator.ts'
import type { AddressKind } from '../http/broker-addresses.ts'
import type { Exchange } from '../http/exchange.ts'
import { createHttpCommunicator } from '../http/http-communicator.ts'
import { type ClientOptions, startClient } from '../http/start-client.ts'

/** `timeoutMs`: for one answer; a long poll may take longer by its wait. */
export type RelayedOptions = ClientOptions & Readonly<{ timeoutMs?: number }>

const TIMEOUT_MS = 10_000

/** What the clients of gRPC and MQTT have in common. `closing` fires when the client is closed. */
export function startRelayedClient(options: RelayedOptions, kind?: AddressKind) {
  const { timeoutMs = TIMEOUT_MS } = options
  const { clock, files, brokers, nameAt: name, persist, seen } = startClient(options, kind)
  const ending = new AbortController()
  const closing: AbortSignal = ending.signal

  return { clock, files, brokers, name, seen, timeoutMs, closing, communicator }

  function communicator(exchange: Exchange, close: () => unknown): BrokerCommunicator {
    return {
      ...createHttpCommunicator({ exchange, persist, clock }),
      remember: seen.remember,
      async close() {
        ending.abort()
        await close()
      },
    }
  }
}
