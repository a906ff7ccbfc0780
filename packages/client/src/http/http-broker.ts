import { setTimeout as sleep } from 'node:timers/promises'
import { API_BASE } from '@bourse/contract/headers'
import type { BrokerCommunicator } from '../broker-communicator.ts'
import type { BrokerConsole } from '../broker-console.ts'
import { createRetry, DEFAULT_RETRY, type Patience, type RetryPolicy } from '../retry.ts'
import { createCertificateFiles } from './certificate-files.ts'
import { createConnections, DEFAULT_TIMEOUTS, type Timeouts } from './connections.ts'
import { createExchange } from './exchange.ts'
import { createHttpCommunicator } from './http-communicator.ts'
import { createHttpConsole } from './http-console.ts'
import { createFaultNaming } from './name-fault.ts'

export type HttpBrokerOptions = Readonly<{
  /** `https://host:port`, with or without the API's base path. */
  url: string
  /** Directory with tls.crt, tls.key and ca.crt; read again when they change. */
  certPath: string
  timeouts?: Partial<Timeouts>
  retry?: Partial<RetryPolicy>
  patience?: Partial<Patience>
}>

/** The broker at an address: what agents say to it, and what people ask it. */
export function createHttpBroker(options: HttpBrokerOptions): BrokerCommunicator & BrokerConsole {
  const { origin, base } = addressOf(options.url)
  const patience = { ...realPatience, ...options.patience }
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts }
  const policy = { ...DEFAULT_RETRY, ...options.retry }

  const files = createCertificateFiles(options.certPath, patience.now)
  const connections = createConnections({ origin, files, timeouts })
  const exchange = createExchange({ base, connections, timeouts, now: patience.now })
  const name = createFaultNaming(origin, files.flaw)
  const ports = { exchange, patience, name, persist: createRetry({ policy, patience, name }) }

  return {
    ...createHttpCommunicator(ports),
    ...createHttpConsole(ports),
    close: () => connections.close(),
  }
}

const realPatience: Patience = {
  now: Date.now,
  random: Math.random,
  sleep: (ms, signal) => sleep(ms, undefined, signal ? { signal } : {}),
}

function addressOf(url: string): { origin: string; base: string } {
  const parsed = URL.parse(url)
  if (parsed?.protocol !== 'https:')
    throw new TypeError(`${JSON.stringify(url)} is no broker address: use https://HOST:PORT.`)
  const path = parsed.pathname.replace(/\/+$/, '')
  return {
    origin: parsed.origin,
    base: path.endsWith(API_BASE) ? path.slice(0, -API_BASE.length) : path,
  }
}
