import { createConnections } from '@bourse/daemon/connections'
import { collector } from '@bourse/daemon/heap'
import { startHealthServer } from '@bourse/daemon/probes'
import { VERSION } from '@bourse/daemon/version'
import { createKubeClient, loadConnection } from '@bourse/kube'
import { statedEndpoint } from './advertisement/index.ts'
import { reachBroker } from './broker/reach-broker.ts'
import type { AgentConfig } from './config/index.ts'
import { createMachine, type Machine } from './machine.ts'
import { showConnections, showState } from './machine-metrics.ts'
import { resolveClusterId } from './runtime/identity.ts'
import { takeTurns } from './runtime/leadership.ts'
import { createLog, type Log, ofCluster } from './runtime/log.ts'
import { createMeters } from './runtime/meters.ts'
import { createMetrics } from './runtime/metrics.ts'
import { openMetrics } from './runtime/open-metrics.ts'
import { createReadiness } from './runtime/readiness.ts'

export type RunningAgent = Readonly<{
  clusterId: string
  /** Absent: off. */
  urls: Readonly<{ health?: string; metrics?: string }>
  /** Stops publishing and writing, releases the lease, closes everything. */
  close(): Promise<void>
  /** Resolves when it has closed. */
  done: Promise<void>
}>

type Ports = Readonly<{
  log?: Log
  /** Fires while the start waits for the API server: the start fails. */
  signal?: AbortSignal
  /** A fatal error: the process must restart. */
  crash?(cause: Error): void
}>

const EXIT_CRASH = 70

/** Starts an agent: it works at once, or stands by until it leads. */
export async function runAgent(config: AgentConfig, ports: Ports = {}): Promise<RunningAgent> {
  const anyLog = ports.log ?? createLog({ level: config.logLevel, format: config.logFormat })
  // Everything opened is closed in reverse order, also if a later step fails.
  await using opened = new AsyncDisposableStack()

  // 1. Probes are answered from the first moment on.
  const connections = createConnections()
  const readiness = createReadiness(connections.report)
  const metrics = createMetrics()
  showConnections(metrics, connections)
  const health =
    config.health && (await startHealthServer(config.health, readiness.report, connections))
  if (health) opened.defer(health.close)
  const scraped = await openMetrics(config, metrics, connections)
  if (scraped) opened.defer(scraped.close)

  // 2. Our identity here and at the broker. Neither needs to be reachable yet.
  const connection = await loadConnection({ kubeconfig: config.kubeconfig })
  for (const warning of connection.warnings) anyLog.warn(warning)
  const client = createKubeClient(connection)
  opened.defer(client.close)
  const clusterId = await resolveClusterId(config, {
    client,
    signal: ports.signal,
    onTrouble(err, pauseMs) {
      readiness.waitFor({ cluster: err.message })
      anyLog.warn({ pauseMs, err }, 'cannot read the id of this cluster')
    },
  })
  const log = ofCluster(anyLog, clusterId)
  const crash = ports.crash ?? ((cause: Error) => exitWith(cause, log))
  const broker = await reachBroker(config.broker, clusterId, log)
  opened.defer(broker.close)
  log.info({ transport: config.broker.kind }, 'broker client initialised')

  // 3. The work, at once or when we lead.
  const meters = createMeters(metrics)
  const described = { clusterId, ...config.described }
  const stated = statedEndpoint(described.endpointUrl, connection)
  let machine: Machine | undefined
  const enter = () => {
    machine = createMachine({
      config,
      described,
      stated,
      client,
      broker,
      meters,
      log,
      crash,
      settled: settleHeap,
    })
    readiness.follow(machine.checks)
    return machine
  }
  const leadership =
    config.election && takeTurns({ client, election: config.election, log, enter, left })
  if (!leadership) {
    const work = enter()
    work.start()
    opened.defer(work.stop)
  } else {
    left()
    opened.defer(leadership.leave)
  }
  function left(): void {
    machine = undefined
    readiness.standBy(() => leadership?.holder())
  }
  showState(metrics, {
    isLeader: () => machine !== undefined,
    measured: () => machine?.measured(),
    held: () => machine?.held() ?? [],
    publishing: () => machine?.publishing(),
    standing: () => machine?.standing(),
    checks: () => machine?.checks ?? {},
  })

  opened.defer(readiness.leave)
  const urls = {
    ...(health && { health: `http://localhost:${health.port}` }),
    ...(scraped && { metrics: scraped.url }),
  }
  log.info({ ...urls, version: VERSION }, 'the agent is running')
  return running({ clusterId, urls }, opened.move(), log)
}

function running(
  agent: Pick<RunningAgent, 'clusterId' | 'urls'>,
  opened: AsyncDisposableStack,
  log: Log,
): RunningAgent {
  const ended = Promise.withResolvers<void>()
  let closing: Promise<void> | undefined

  return { ...agent, done: ended.promise, close: () => (closing ??= shutDown()) }

  async function shutDown(): Promise<void> {
    log.info('stopping')
    await opened.disposeAsync()
    log.info('stopped')
    ended.resolve()
  }
}

function exitWith(cause: Error, log: Log): void {
  log.error({ err: cause }, cause.message)
  process.exit(EXIT_CRASH)
}

/**
 * After the start an agent needs a fraction of the memory that listing its cluster took, and
 * allocates so little that V8 would not collect the rest for hours.
 */
function settleHeap(): void {
  collector({ flavor: 'last-resort', type: 'major', execution: 'async' })()
}
