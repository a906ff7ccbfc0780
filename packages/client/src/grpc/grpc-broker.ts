import type { BrokerCommunicator } from '../communicator/broker-communicator.ts'
import { createHttpCommunicator } from '../http/http-communicator.ts'
import { type ClientOptions, startClient } from '../http/start-client.ts'
import { createGrpcConnections } from './grpc-connection.ts'
import { createGrpcExchange } from './grpc-exchange.ts'

/** The address is `https://host:port`. */
export type GrpcBrokerOptions = ClientOptions & Readonly<{ timeoutMs?: number }>

const TIMEOUT_MS = 10_000

/** The broker's gRPC interface: the conversation of the REST API on one HTTP/2 connection. */
export function openGrpcBroker(options: GrpcBrokerOptions): BrokerCommunicator {
  const { timeoutMs = TIMEOUT_MS } = options
  const { clock, files, brokers, nameAt: name, persist, seen } = startClient(options)
  const { now } = clock
  const ending = new AbortController()
  const closing = ending.signal
  const connections = createGrpcConnections({ files })
  const exchange = createGrpcExchange({ brokers, connections, closing, name, timeoutMs, seen, now })

  return {
    ...createHttpCommunicator({ exchange, persist, clock }),
    remember: seen.remember,
    async close() {
      ending.abort()
      connections.close()
    },
  }
}
