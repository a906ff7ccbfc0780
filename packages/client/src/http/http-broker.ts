import type { BrokerCommunicator } from '../communicator/broker-communicator.ts'
import type { BrokerConsole } from '../communicator/broker-console.ts'
import { createConnections, DEFAULT_TIMEOUTS, type Timeouts } from './connections.ts'
import { createExchange } from './exchange.ts'
import { createHttpCommunicator } from './http-communicator.ts'
import { createHttpConsole } from './http-console.ts'
import { type ClientOptions, startClient } from './start-client.ts'

/**
 * The address is `https://host:port`, with or without the API's base path. The leader is asked,
 * even if it is not listed.
 */
export type HttpBrokerOptions = ClientOptions &
  Readonly<{
    /** Why its commands are given: kept with what they do. */
    reason?: string | undefined
    timeouts?: Partial<Timeouts>
  }>

/** A broker's REST API, for agents and for people. */
export function createHttpBroker(options: HttpBrokerOptions): BrokerCommunicator & BrokerConsole {
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts }
  const { clock, files, brokers, nameAt, name, persist, seen } = startClient(options)
  const connections = createConnections({ files, timeouts })
  const exchange = createExchange({
    brokers,
    connections,
    timeouts,
    name: nameAt,
    seen,
    now: clock.now,
    reason: options.reason,
  })
  const ports = { exchange, clock, name, persist }

  return {
    ...createHttpCommunicator(ports),
    ...createHttpConsole(ports),
    remember: seen.remember,
    close: () => connections.close(),
  }
}
