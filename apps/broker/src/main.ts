import { readFileSync } from 'node:fs'
import type { SecureContextOptions } from 'node:tls'
import { type Connections, createConnections } from '@bourse/daemon/connections'
import { startHealthServer, startMetricsServer } from '@bourse/daemon/probes'
import type { Logger } from 'pino'
import { createAuditLog } from './after-commit/audit-log.ts'
import { createAuditor } from './after-commit/auditor.ts'
import { showConnections } from './after-commit/connection-metrics.ts'
import { createMetrics, type Metrics } from './after-commit/metrics.ts'
import { watchAdmission } from './config/admission.ts'
import type { BrokerConfig } from './config/index.ts'
import { createDashboardServer, createRecentRefusals } from './dashboard/index.ts'
import { createFairShare } from './fair-share/index.ts'
import { settleHeap } from './heap.ts'
import { type Answered, createHttpServer, createProbing, readTlsFiles } from './http/index.ts'
import { openStore } from './journal/open-store.ts'
import { openKubernetesInterface } from './kubernetes/index.ts'
import { enterOffice } from './leadership/enter-office.ts'
import { reachKubernetes } from './leadership/reach-kubernetes.ts'
import { openLedger } from './ledger/open-ledger.ts'
import { createLog } from './log.ts'
import { createReadiness } from './readiness.ts'
import { openRelayedDoors } from './relay/open-relayed-doors.ts'
import { VERSION } from './version.ts'

export type RunningBroker = Readonly<{
  /** Where it listens; absent: not at all. */
  urls: Urls
  /** Stops taking requests, answers what is here, puts everything down. */
  close(): Promise<void>
  /** Resolves when it has closed. */
  done: Promise<void>
}>
export type Urls = Readonly<{ api?: string; health?: string; metrics?: string; dashboard?: string }>
type Ports = Readonly<{
  log?: Logger
  /** What cannot be survived: the journal is somebody else's, or the disk has failed. */
  crash?(cause: Error): void
  /** Ends standing by: a broker that is told to stop before its turn came never leads. */
  signal?: AbortSignal
}>

const EXIT_CRASH = 70

/** The whole machine on one page: what is opened in which order, and who knows whom. */
export async function runBroker(config: BrokerConfig, ports: Ports = {}): Promise<RunningBroker> {
  const log = ports.log ?? createLog({ level: config.logLevel, format: config.logFormat })
  const crash = ports.crash ?? ((cause: Error) => exitWith(cause, log))
  // Whatever was opened is closed in the opposite order, also when opening fails half-way.
  await using opened = new AsyncDisposableStack()
  const { currency } = config

  // 1. A probe may ask from the first moment on; it hears "starting" until the doors are open.
  const connections = createConnections()
  const readiness = createReadiness(connections.report)
  const health =
    config.health && (await startHealthServer(config.health, readiness.report, connections))
  if (health) opened.defer(health.close)

  // 2. What outlives the process, and whether it can be trusted. Certificates that cannot be used
  // are named before anything is founded or locked.
  if (config.http) await readTlsFiles(config.http.certPath, Date.now())
  const client = await reachKubernetes(config)
  if (client) opened.defer(client.close)
  const { signal } = ports
  const store = await openStore(config, { client, log, crash, signal })
  opened.defer(store.close)
  for (const notice of store.notices) log.warn(notice)

  // 3. Standing by, where there are several of us, until it is our turn.
  const standing = readiness.standBy
  const beside = { connections, log, crash, signal }
  const office = await enterOffice({ config, store, client, standing, ...beside })
  if (!office) return running({}, opened.move(), log)
  opened.defer(office.resign)
  const { books, ousted } = office

  // 4. The heart: from here on the only one who decides.
  const metrics = createMetrics({ tenants: config.metricsTenants })
  const refusals = createRecentRefusals(currency)
  const { meters } = metrics
  showConnections(metrics.registry, connections)
  const refused = refusals.record
  const heart = await openLedger({
    ...{ config, store, books, ousted, meters, refused, log, crash },
    rolledBack: () => void auditor.run().catch(() => {}),
  })
  office.confirmWith(heart.isStillOurs)
  opened.defer(heart.close)
  const { writer, now, ledgerId, term, rollback } = heart

  // 5. Those who read what was committed.
  writer.subscribe(metrics.follow)
  metrics.observeWriter(writer, heart.skewMs)
  metrics.observeRollback(rollback)
  const noteAudit = createAuditLog(log)
  const auditor = createAuditor({
    ...{ writer, now, trouble: rollback.trouble },
    found: (report) => {
      metrics.audited(report)
      noteAudit(report)
    },
  })
  await auditor.start()
  opened.defer(auditor.stop)
  const { explainAt } = store
  const history = { ...store.history, decision: heart.decision }
  const readers = { writer, history, explainAt, now }

  // 6. The doors. Objects first: beside those of another ledger nothing may be granted.
  const { admission, close } = watchAdmission(config, log)
  opened.defer(close)
  const objects =
    config.objects &&
    client &&
    (await openKubernetesInterface(
      { client, writer, history, ledgerId, now, ousted, admission, log },
      { ...config, ...config.objects },
    ))
  if (objects) {
    metrics.observeObjects(objects.backlog)
    opened.defer(objects.close)
  }
  const { skew } = metrics
  const answered = (answer: Answered) => {
    metrics.answered(answer)
    connections.noteAnswer()
  }
  const { heard } = heart
  const { leader, door: earlier } = office
  const share = createFairShare(limitsOf(config), () => performance.now())
  writer.subscribe(share.journal.follow)
  metrics.observeShare(share)
  opened.defer(share.stop)
  const probing = createProbing(() => performance.now())
  const callers = {
    ...readers,
    admission,
    share,
    probing,
    audit: auditor.run,
    heard,
    ousted,
    leader,
  }
  const served = { ...callers, rollback, answered, skew, connections, log }
  const identity = { ledgerId, term, version: VERSION }
  const http =
    config.http &&
    (await createHttpServer({ ...served, earlier }, { ...config, ...config.http, ...identity }))
  if (http) opened.defer(() => http.drain(config.shutdownTimeoutMs))
  const carrierRefused = metrics.refusedAt('carrier')
  const relayed = await openRelayedDoors({ ...served, carrierRefused }, { ...config, ...identity })
  opened.defer(() => relayed.drain(config.shutdownTimeoutMs))
  metrics.observeWaits(() => (http?.waiting() ?? 0) + relayed.waiting())
  metrics.observeDoors(relayed)
  const api = http && urlOf('https', config.http?.host, (await http.listen()).port)
  if (api) await store.noteAddress(api)

  // 7. The windows: metrics and the live page.
  const scraped =
    config.metrics &&
    (await openMetrics(config, metrics, { tls: http?.tls().context, connections }))
  if (scraped) {
    opened.defer(scraped.close)
    http?.onRotation(({ context }) => scraped.renew(context))
  }
  const page =
    config.dashboard &&
    (await createDashboardServer({
      ...readers,
      ...tokenOf(config),
      connections,
      address: config.dashboard,
      hostNames: config.dashboardHosts ?? [],
      currency,
      refusals,
      decisionOf: heart.decision,
      audit: auditor.report,
      guessed: metrics.refusedAt('page'),
      onFault: (cause) => log.error({ err: cause }, 'the live page failed'),
    }))
  if (page) opened.defer(page.close)

  const urls: Urls = {
    ...(api && { api }),
    ...(health && { health: urlOf('http', config.health?.host, health.port) }),
    ...(scraped && { metrics: urlOf(scraped.scheme, config.metrics?.host, scraped.port) }),
    ...(page && { dashboard: await page.listen() }),
  }
  readiness.follow(() => ({
    trouble: writer.trouble(),
    audit: auditor.report(),
    rollback: rollback.trouble(),
    chores: store.trouble() ?? heart.trouble() ?? office.trouble() ?? objects?.trouble(),
    doors: relayed.doors,
  }))
  opened.defer(readiness.leave)
  store.beginChores?.()
  opened.defer(settleHeap({ writer, store, connections, log }).stop)
  log.info({ ...urls, version: VERSION }, 'the broker is ready')
  return running(urls, opened.move(), log)
}

function running(urls: Urls, opened: AsyncDisposableStack, log: Logger): RunningBroker {
  let end: () => void = () => {}
  const done = new Promise<void>((resolve) => {
    end = resolve
  })
  let closing: Promise<void> | undefined

  return { urls, done, close }

  function close(): Promise<void> {
    closing ??= shutDown()
    return closing
  }

  async function shutDown(): Promise<void> {
    log.info('stopping: answering what is here, taking nothing new')
    await opened.disposeAsync()
    log.info('stopped')
    end()
  }
}

type Beside = Readonly<{ tls: SecureContextOptions | undefined; connections: Connections }>

async function openMetrics(config: BrokerConfig, { registry }: Metrics, beside: Beside) {
  const { metricsSecure, metrics: bind } = config
  if (!bind) return undefined
  const { connections } = beside
  const tls = metricsSecure ? beside.tls : undefined
  const server = await startMetricsServer(bind, registry, { tls, connections })
  return { ...server, scheme: metricsSecure ? 'https' : 'http' }
}

function limitsOf({ rateLimit, journalMibPerDay }: BrokerConfig) {
  return { rate: rateLimit, journalBytesPerDay: journalMibPerDay * 1024 * 1024 }
}

function tokenOf({ dashboardTokenFile }: BrokerConfig): { token?: string } {
  if (dashboardTokenFile === undefined) return {}
  return { token: readFileSync(dashboardTokenFile, 'utf8').trim() }
}

function urlOf(scheme: string, host: string | undefined, port: number): string {
  const shown = host === undefined || host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `${scheme}://${shown.includes(':') ? `[${shown}]` : shown}:${port}`
}

/** Memory and disk may disagree from here on: the only safe thing is to stop at once. */
function exitWith(cause: Error, log: Logger): void {
  log.fatal({ err: cause }, cause.message)
  process.exit(EXIT_CRASH)
}
