import type { BrokerCommunicator } from '../communicator/broker-communicator.ts'
import { type RelayedOptions, startRelayedClient } from '../relayed/relayed-client.ts'
import { createGrpcConnections } from './grpc-connection.ts'
import { createGrpcExchange } from './grpc-exchange.ts'

/** The address is `https://host:port`. */
export type GrpcBrokerOptions = RelayedOptions

/** The broker's gRPC interface: the conversation of the REST API on one HTTP/2 connection. */
export function openGrpcBroker(options: GrpcBrokerOptions): BrokerCommunicator {
  const client = startRelayedClient(options)
  const { clock, files, brokers, name, seen, timeoutMs, closing } = client
  const { now } = clock
  const connections = createGrpcConnections({ files })
  const exchange = createGrpcExchange({ brokers, connections, closing, name, timeoutMs, seen, now })
  return client.communicator(exchange, connections.close)
}
