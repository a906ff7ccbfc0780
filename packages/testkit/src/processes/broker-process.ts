import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type BrokerCommunicator,
  type BrokerConsole,
  createHttpBroker,
  type RetryPolicy,
} from '@bourse/client'
import { makeTestCertificates, type TestCertificates } from '../certificates/certificates.ts'
import type { Exit } from './child.ts'
import { createPart, type Part } from './part.ts'
import { isUp } from './probe.ts'
import { quietPorts } from './quiet-ports.ts'
import { createRawCaller, type RawCaller } from './raw-caller.ts'

export type BrokerOptions = Readonly<{
  /** Made, and removed at the end, unless given. */
  dataDir?: string
  /** Given if two brokers must trust the same callers; default: its own. */
  certificates?: TestCertificates
  flags?: readonly string[]
  env?: Readonly<Record<string, string>>
  /** Put before the broker's command, such as one that enters a namespace. */
  prefix?: readonly string[]
}>

export type Client = BrokerCommunicator & BrokerConsole

/** A real broker process on loopback, with its certificates and clients. */
export type TestBroker = Pick<Part, 'pid' | 'logs' | 'isRunning' | 'launch' | 'ready' | 'kill'> & {
  url: string
  healthUrl: string
  metricsUrl: string
  dataDir: string
  /** Its directory of certificates; change a file in it and the broker reads it again. */
  certPath: string
  certificates: TestCertificates
  isReady(): Promise<boolean>
  /** Stops politely: SIGTERM, and waits until it has gone. */
  stop(): Promise<Exit>
  /** Stops it if it runs, and starts it again on the same directory and ports. */
  restart(): Promise<void>
  aClient(clusterId: string, retry?: Partial<RetryPolicy>): Promise<Client>
  anOperator(retry?: Partial<RetryPolicy>): Promise<Client>
  aRawCaller(clusterId: string, connectionsMax?: number): Promise<RawCaller>
  aRawOperator(): Promise<RawCaller>
  /** Ends everything and removes what was made. */
  dispose(): Promise<void>
}

export const repositoryRoot = fileURLToPath(new URL('../../../..', import.meta.url))

/** Starts `bin/broker` and waits until it is ready. */
export async function startBroker(options: BrokerOptions = {}): Promise<TestBroker> {
  const broker = await prepareBroker(options)
  broker.launch()
  // The caller does not have it yet, and cannot clean up.
  await broker.ready().catch(async (failure) => {
    await broker.dispose()
    throw failure
  })
  return broker
}

/** Everything but the process: for tests that look at how it starts. */
export async function prepareBroker(options: BrokerOptions = {}): Promise<TestBroker> {
  const certificates = options.certificates ?? (await makeTestCertificates())
  const certPath = await certificates.forServer()
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'bourse-ledger-'))
  const [http = 0, health = 0, metrics = 0] = await quietPorts(3)
  const command = commandOf({ ...options, certPath, dataDir, ports: { http, health, metrics } })
  const isReady = () => isUp(`http://127.0.0.1:${health}/readyz`)
  const broker = createPart({ name: 'The broker', command, env: options.env ?? {}, isReady })
  const callers = createCallers(`https://127.0.0.1:${http}`, certificates)

  return {
    url: `https://127.0.0.1:${http}`,
    healthUrl: `http://127.0.0.1:${health}`,
    metricsUrl: `http://127.0.0.1:${metrics}/metrics`,
    dataDir,
    certPath,
    certificates,
    get pid() {
      return broker.pid
    },
    logs: broker.logs,
    isRunning: broker.isRunning,
    isReady,
    launch: broker.launch,
    ready: broker.ready,
    kill: broker.kill,
    stop: () => broker.kill('SIGTERM'),
    async restart() {
      await broker.end('SIGTERM')
      await broker.start()
    },
    ...callers.make,
    async dispose() {
      await callers.close()
      await broker.end()
      if (!options.dataDir) rmSync(dataDir, { recursive: true, force: true })
      if (!options.certificates) certificates.dispose()
    },
  }
}

type CommandParts = BrokerOptions &
  Readonly<{
    certPath: string
    dataDir: string
    ports: Readonly<{ http: number; health: number; metrics: number }>
  }>

function commandOf({ prefix = [], flags = [], certPath, dataDir, ports }: CommandParts): string[] {
  return [
    ...prefix,
    join(repositoryRoot, 'bin', 'broker'),
    '--broker-interface=http',
    '--http-host=127.0.0.1',
    `--http-port=${ports.http}`,
    `--http-cert-path=${certPath}`,
    `--data-dir=${dataDir}`,
    `--health-probe-bind-address=127.0.0.1:${ports.health}`,
    `--metrics-bind-address=127.0.0.1:${ports.metrics}`,
    '--dashboard-bind-address=0',
    ...flags,
  ]
}

/** Callers by name; all of them are closed with the broker. */
function createCallers(url: string, certificates: TestCertificates) {
  const closers: (() => unknown)[] = []
  const keep = <T extends { close(): unknown }>(caller: T): T => {
    closers.push(() => caller.close())
    return caller
  }
  const client = (certPath: string, retry: Partial<RetryPolicy> = {}) =>
    keep(createHttpBroker({ url, certPath, retry }))
  const raw = (certPath: string, connectionsMax?: number) =>
    keep(createRawCaller({ url, certPath, ...(connectionsMax && { connectionsMax }) }))

  return {
    make: {
      aClient: async (clusterId: string, retry?: Partial<RetryPolicy>) =>
        client(await certificates.forCluster(clusterId), retry),
      anOperator: async (retry?: Partial<RetryPolicy>) =>
        client(await certificates.forOperator(), retry),
      aRawCaller: async (clusterId: string, connectionsMax?: number) =>
        raw(await certificates.forCluster(clusterId), connectionsMax),
      aRawOperator: async () => raw(await certificates.forOperator()),
    },
    close: () => Promise.all(closers.map((close) => close())),
  }
}
