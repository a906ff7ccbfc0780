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
import { eventually } from '../time/eventually.ts'
import { type Child, type Exit, startChild } from './child.ts'
import { fetchAnew } from './fetch-anew.ts'
import { quietPorts } from './quiet-ports.ts'
import { createRawCaller, type RawCaller } from './raw-caller.ts'

export type BrokerOptions = Readonly<{
  /** Made, and removed at the end, unless given. */
  dataDir?: string
  /** The broker's own, if two of them are to trust the same callers. */
  certificates?: TestCertificates
  flags?: readonly string[]
  env?: Readonly<Record<string, string>>
  /** A command that runs the broker's, such as one that enters a namespace. */
  prefix?: readonly string[]
}>

export type Client = BrokerCommunicator & BrokerConsole

/** A real broker process on loopback, and what tests want to do with it. */
export type TestBroker = {
  url: string
  healthUrl: string
  metricsUrl: string
  dataDir: string
  /** Its directory of certificates; change a file in it and the broker reads it again. */
  certPath: string
  certificates: TestCertificates
  readonly pid: number
  /** Everything written since the first start. */
  logs(): string
  isRunning(): boolean
  isReady(): Promise<boolean>
  /** Starts the process without waiting until it is ready. */
  launch(): Child
  ready(withinMs?: number): Promise<void>
  kill(signal?: NodeJS.Signals): Promise<Exit>
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

const READY_WITHIN_MS = 60_000

export const repositoryRoot = fileURLToPath(new URL('../../../..', import.meta.url))

/** Starts `bin/broker` and waits until it is ready. */
export async function startBroker(options: BrokerOptions = {}): Promise<TestBroker> {
  const broker = await prepareBroker(options)
  broker.launch()
  // Nobody else knows it yet who could clean up.
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
  const life = createLife(command, options.env ?? {}, `http://127.0.0.1:${health}/readyz`)
  const callers = createCallers(`https://127.0.0.1:${http}`, certificates)

  return {
    url: `https://127.0.0.1:${http}`,
    healthUrl: `http://127.0.0.1:${health}`,
    metricsUrl: `http://127.0.0.1:${metrics}/metrics`,
    dataDir,
    certPath,
    certificates,
    ...life,
    // A getter would be copied as the value it had when the life was made.
    get pid() {
      return life.running().pid
    },
    ...callers.make,
    async dispose() {
      await callers.close()
      await life.end()
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

function createLife(command: string[], env: Readonly<Record<string, string>>, readyUrl: string) {
  let child: Child | undefined
  let earlier = ''

  function running(): Child {
    if (!child || child.exit()) throw new Error(`The broker does not run.\n${logs()}`)
    return child
  }
  const isRunning = () => child !== undefined && child.exit() === undefined
  const logs = () => earlier + (child?.output() ?? '')

  function launch(): Child {
    if (child && !child.exit()) throw new Error('The broker runs already.')
    earlier = logs()
    child = startChild(command, { env })
    return child
  }
  /** Kept here, as `exited` of the child that was told to go is the one to wait for. */
  function kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<Exit> {
    const told = running()
    told.kill(signal)
    return told.exited
  }
  const stop = () => kill('SIGTERM')
  const isReady = () => fetchAnew(readyUrl).then(({ ok }) => ok, refused)

  async function ready(withinMs = READY_WITHIN_MS): Promise<void> {
    await eventually(
      'The broker is ready',
      async () => {
        running()
        return (await isReady()) || undefined
      },
      withinMs,
    )
  }
  async function restart(): Promise<void> {
    if (child && !child.exit()) await stop()
    launch()
    await ready()
  }
  async function end(): Promise<void> {
    if (child && !child.exit()) await kill('SIGKILL')
  }
  return { running, isRunning, logs, launch, kill, stop, isReady, ready, restart, end }
}

const refused = () => false

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
