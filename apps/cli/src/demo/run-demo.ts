import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BrokerCommunicator, createHttpBroker } from '@bourse/client'
import type { Reservation } from '@bourse/contract'
import { prepareDirectory } from '../files/directory.ts'
import { createChance } from './chance.ts'
import { cities } from './cities.ts'
import { type DemoCertificates, prepareCertificates } from './demo-pki.ts'
import { createPresence } from './presence.ts'
import { createSimulatedCluster, pause } from './simulated-cluster.ts'
import { type Paint, startScreen } from './start-screen.ts'
import { superviseBroker } from './supervised-broker.ts'
import { runTraffic } from './traffic.ts'
import { untilStopped } from './until-stopped.ts'

export type DemoOptions = Readonly<{
  dataDir?: string
  /** As asked for. Absent: the usual one, or any if that is taken. */
  ports: Readonly<{ api: number | undefined; page: number | undefined }>
  seed: number
  /** Without the trickle of requests: only the first one is made. */
  quiet: boolean
  program: string
  paint: Paint
  print(line: string): void
  signal: AbortSignal
}>

/** For a broker that hangs; one that exits is reported at once. */
const READY_WITHIN_MS = 120_000
const LOOK_MS = 100
const API_PORT = 8443
const PAGE_PORT = 8090

/** A broker and a federation of simulated clusters around it, until the signal says stop. */
export async function runDemo(demo: DemoOptions): Promise<void> {
  const { print, paint, program } = demo
  // Also aborted when the broker ends: waiting timers would keep the process alive.
  const over = new AbortController()
  const signal = AbortSignal.any([demo.signal, over.signal])
  const options = { ...demo, signal }
  // Absolute: the config file names certificates in it, and is read from any directory.
  const dataDir = resolve(options.dataDir ?? join(tmpdir(), `bourse-demo-${userInfo().username}`))
  prepareDirectory(dataDir, 0o700)
  const certificates = await prepareCertificates(
    dataDir,
    cities.map(({ clusterId }) => clusterId),
  )
  const { api: apiPort, page: pagePort } = options.ports
  const ports = {
    api: apiPort ?? (await freePort(API_PORT)),
    page: pagePort ?? (await freePort(PAGE_PORT)),
  }
  const api = `https://127.0.0.1:${ports.api}`
  const logFile = join(dataDir, 'broker.log')

  if (signal.aborted) return
  const broker = superviseBroker({
    flags: flagsFor({ dataDir, certificates, ports }),
    logFile,
    signal,
    onRestart: (how) => presence.went(how),
  })
  const operator = { url: api, certPath: certificates.operator }
  const presence = createPresence({
    ready: () => waitUntilReady(operator, signal),
    pid: broker.pid,
    print,
    signal,
  })
  const brokers = connect(api, certificates, signal)
  try {
    const opened = await untilStopped(signal, Promise.race([open(), broker.failed]))
    if (!opened) return
    const page = `http://127.0.0.1:${ports.page}/`
    const brokerPid = broker.pid()
    print(startScreen({ page, api, dataDir, logFile, brokerPid, program, paint, ...opened }))
    await untilStopped(signal, broker.failed)
  } finally {
    over.abort()
    await Promise.all([...brokers.values()].map((one) => one.close()))
    await broker.stop()
  }

  async function open() {
    await waitUntilReady(operator, signal, READY_WITHIN_MS).finally(() => {
      if (!signal.aborted) broker.openLog()
    })
    signal.throwIfAborted()
    broker.wasReady()
    // Not earlier: another demo may run on this directory, and its config file is in use.
    const configFile = writeContext({ dataDir, api, certificates })
    const { onTrouble } = presence
    const addressOf = (clusterId: string) => ({ url: api, certPath: certificates.of(clusterId) })
    return { configFile, first: await startFederation({ options, brokers, addressOf, onTrouble }) }
  }
}

type Federation = Readonly<{
  options: DemoOptions
  brokers: ReadonlyMap<string, BrokerCommunicator>
  addressOf(clusterId: string): Address
  onTrouble(clusterId: string, error: Error): void
}>

/** Every cluster has advertised before the first request. */
async function startFederation({ options, brokers, addressOf, onTrouble }: Federation) {
  const { signal, seed } = options
  const clusters = await Promise.all(
    cities.flatMap((city, place) => {
      const broker = brokers.get(city.clusterId)
      const chance = createChance(seed + place)
      const address = addressOf(city.clusterId)
      const ports = { city, address, chance, signal, onTrouble }
      return broker ? [createSimulatedCluster({ ...ports, broker })] : []
    }),
  )
  // From here on the clusters have to be stopped.
  signal.throwIfAborted()
  signal.addEventListener('abort', () => {
    for (const cluster of clusters) void cluster.stop()
  })
  await Promise.all(clusters.map((cluster) => cluster.start()))
  signal.throwIfAborted()
  const first = await firstReservation(brokers)
  const chance = createChance(seed + cities.length)
  if (!options.quiet) void runTraffic({ brokers, chance, signal, onTrouble })
  return first
}

async function firstReservation(brokers: Federation['brokers']): Promise<Reservation | undefined> {
  const answer = await brokers.get('rome')?.requestReservation({
    requestedResources: { cpu: '8', memory: '32Gi', gpu: '1' },
    duration: '30m',
  })
  return answer?.kind === 'reserved' ? answer.reservation : undefined
}

function connect(url: string, certificates: DemoCertificates, signal: AbortSignal) {
  // A client that waits for its next attempt would keep the process alive after Ctrl-C.
  const clock = {
    sleep: (ms: number, own?: AbortSignal) =>
      sleep(ms, undefined, { signal: own ? AbortSignal.any([own, signal]) : signal }),
  }
  return new Map(
    cities.map(({ clusterId }): [string, BrokerCommunicator] => [
      clusterId,
      createHttpBroker({ url, certPath: certificates.of(clusterId), clock }),
    ]),
  )
}

type Address = Readonly<{ url: string; certPath: string }>

/** Asks often, without back-off: backing off would notice seconds too late. */
async function waitUntilReady(
  address: Address,
  signal: AbortSignal,
  withinMs = Number.POSITIVE_INFINITY,
): Promise<void> {
  const broker = createHttpBroker({ ...address, retry: { attemptsMax: 1 } })
  const deadline = performance.now() + withinMs
  try {
    while (!signal.aborted) {
      const failure = await broker.ping().then(
        () => undefined,
        (error: Error) => error,
      )
      if (!failure) return
      if (performance.now() > deadline) throw failure
      await pause(LOOK_MS, signal)
    }
  } finally {
    await broker.close()
  }
}

type Setting = Readonly<{
  dataDir: string
  certificates: DemoCertificates
  ports: Readonly<{ api: number; page: number }>
}>

function flagsFor({ dataDir, certificates, ports }: Setting): string[] {
  return [
    '--broker-interface=http',
    `--http-port=${ports.api}`,
    `--http-cert-path=${certificates.broker}`,
    `--data-dir=${join(dataDir, 'ledger')}`,
    `--dashboard-bind-address=127.0.0.1:${ports.page}`,
    '--stale-after=30s',
    '--default-duration=8h',
    '--health-probe-bind-address=127.0.0.1:0',
    '--metrics-bind-address=127.0.0.1:0',
  ]
}

/** So that `bin/bourse` finds this broker, as an operator. */
function writeContext(context: { dataDir: string; api: string; certificates: DemoCertificates }) {
  const path = join(context.dataDir, 'config.yaml')
  const lines = [`broker-url: ${context.api}`, `cert-path: ${context.certificates.operator}`, '']
  writeFileSync(path, lines.join('\n'))
  return path
}

/** The usual port, or any free one when it is taken. */
function freePort(preferred: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', (cause) => (preferred === 0 ? reject(cause) : resolve(freePort(0))))
    probe.listen(preferred, '127.0.0.1', () => {
      const address = probe.address()
      const port = typeof address === 'object' && address ? address.port : preferred
      probe.close(() => resolve(port))
    })
  })
}
