import { readFileSync } from 'node:fs'
import { createConnections } from '@bourse/daemon/connections'
import { given } from '@bourse/daemon/given'
import { startHealthServer, startMetricsServer } from '@bourse/daemon/probes'
import { VERSION } from '@bourse/daemon/version'
import type { Logger } from 'pino'
import { createAuditLog, createAuditor } from './after-commit/auditor.ts'
import { openEventRing } from './after-commit/open-event-ring.ts'
import { createUnpricedLog } from './after-commit/unpriced-log.ts'
import type { BrokerConfig } from './config/index.ts'
import { watchRates } from './config/watch-rates.ts'
import { createDashboardServer, createRecentRefusals } from './dashboard/index.ts'
import { createFairShare } from './fair-share/index.ts'
import { settleHeap } from './heap.ts'
import {
  type ApiPorts,
  type ApiSettings,
  createHttpServer,
  createProbing,
  createTrialCharge,
  readTlsFiles,
} from './http/index.ts'
import { watchAdmission } from './intake/admission.ts'
import type { RequestLimits } from './intake/read-request.ts'
import { openKubernetesInterface } from './kubernetes/index.ts'
import { awaitLeadership } from './leadership/await-leadership.ts'
import { reachKubernetes } from './leadership/reach-kubernetes.ts'
import { openLedger } from './ledger/opening/open-ledger.ts'
import { createLog } from './log.ts'
import { showConnections } from './metrics/connection-metrics.ts'
import { createMetrics } from './metrics/metrics.ts'
import type { NoteOf } from './presentation/provider-notes.ts'
import { createReadiness } from './readiness.ts'
import { type RunningBroker, running, type Urls, urlOf } from './running-broker.ts'
import { openStore } from './store/opening/open-store.ts'
import { openTransports } from './transports/open-transports.ts'

type Ports = Readonly<{
  log?: Logger
  /** Ends the process: another broker owns the journal, or the disk has failed. */
  crash?(cause: Error): void
  /** Ends standing by: a broker that is told to stop never leads. */
  signal?: AbortSignal
}>

const EXIT_CRASH = 70

/**
 * Starts a broker. One process, in this order:
 *
 *   probes → store → leadership → ledger → subscribers → interfaces → metrics and dashboard
 *
 * Every change is a command to the one `LedgerWriter` (`ledger/`). It decides on the ledger in
 * memory (`@bourse/domain`), appends the events to the journal (`store/`), and answers when they are
 * durable. Three interfaces submit commands: REST (`http/`), gRPC and MQTT (`transports/`, which
 * relay to the REST routes), and Kubernetes objects (`kubernetes/`). `fair-share/` limits what each
 * cluster may take of all of them. Metrics, audit, history and streams follow each commit
 * (`after-commit/`, `metrics/`). With several brokers, the others stand by (`leadership/`).
 * Everything that is opened is closed in the opposite order, also when a later step fails.
 */
export async function runBroker(config: BrokerConfig, ports: Ports = {}): Promise<RunningBroker> {
  const { signal } = ports
  const log = ports.log ?? createLog({ level: config.logLevel, format: config.logFormat })
  const crash = ports.crash ?? ((cause: Error) => exitWith(cause, log))
  await using opened = new AsyncDisposableStack()
  const { currency } = config
  const monotonic = () => performance.now()

  // 1. Probes answer from the first moment on: "starting", until the interfaces are open.
  const connections = createConnections()
  const readiness = createReadiness(connections.report)
  const health =
    config.health && (await startHealthServer(config.health, readiness.report, connections))
  if (health) opened.defer(health.close)

  // 2. The store. Unusable files are reported before a store is locked or a ledger founded.
  const rates = watchRates(config, log)
  opened.defer(rates.close)
  if (config.http) await readTlsFiles(config.http.certPath, Date.now())
  const client = await reachKubernetes(config)
  if (client) opened.defer(client.close)
  const store = await openStore(config, { client, log, crash, signal })
  opened.defer(store.close)
  for (const notice of store.notices) log.warn(notice)

  // 3. Leadership: a standby waits here for its turn.
  const leadership = await awaitLeadership({
    config,
    store,
    client,
    standing: readiness.standBy,
    connections,
    log,
    crash,
    signal,
  })
  if (!leadership) return running({}, opened.move(), log)
  opened.defer(leadership.resign)
  const { replica, whyNotLeading } = leadership

  // 4. The ledger: from here on this broker decides.
  const metrics = createMetrics({ tenants: config.metricsTenants })
  showConnections(metrics.registry, connections)
  const refusals = createRecentRefusals(currency)
  const ledger = await openLedger({
    config,
    store,
    client,
    replica,
    whyNotLeading,
    meters: metrics.meters,
    refused: refusals.record,
    rolledBack: () => void auditor.run().catch(() => {}),
    log,
    crash,
  })
  leadership.confirmWith(ledger.isStillOurs)
  opened.defer(ledger.close)
  const { writer, now, ledgerId, rollback } = ledger

  // 5. What follows each commit.
  const ring = openEventRing({ writer, journal: store.journal, log })
  writer.subscribe(metrics.follow)
  metrics.observeWriter(writer, ledger.skewMs)
  metrics.observeRollback(rollback)
  const sayUnpriced = createUnpricedLog({ writer, currency, log })
  // Rates are not journaled, and no request is decided before the interfaces open.
  rates.follow((next) => {
    replica.ledger.setRates(next)
    sayUnpriced()
  })
  const logAudit = createAuditLog(log)
  const auditor = createAuditor({
    writer,
    now,
    trouble: rollback.trouble,
    found: (report) => {
      metrics.audited(report)
      logAudit(report)
    },
  })
  await auditor.start()
  opened.defer(auditor.stop)
  // Of decisions, the ledger knows also those that are not in the history yet.
  const { ended, listEnded, request } = store.history
  const history = { ended, listEnded, request, decision: ledger.decision }

  // 6. The interfaces. All of them share one fair share, one admission and the limits of requests.
  const limits: RequestLimits = {
    maxDurationMs: config.maxDurationMs,
    maxPriority: config.maxPriority,
    ...given({ defaultDurationMs: config.defaultDurationMs }),
  }
  const share = createFairShare({ rate: config.rateLimit, journal: replica.budget }, monotonic)
  metrics.observeShare(share)
  opened.defer(share.stop)
  const probing = createProbing(monotonic)
  const { admission, close: closeAdmission } = watchAdmission(config, log)
  opened.defer(closeAdmission)
  // Kubernetes objects first: nothing may be granted beside the objects of another ledger.
  const objects =
    config.objects &&
    client &&
    (await openKubernetesInterface(
      {
        client,
        writer,
        history,
        ledgerId,
        rollback,
        now,
        whyNotLeading,
        admission,
        share,
        trials: (noteOf: NoteOf) => createTrialCharge({ rate: share.rate, probing, noteOf, now }),
        log,
      },
      { ...limits, adopt: config.adopt, httpNamespace: config.objects.httpNamespace },
    ))
  if (objects) {
    metrics.observeObjects(objects.backlog)
    opened.defer(objects.close)
  }
  const apiPorts: ApiPorts = {
    writer,
    history,
    explainAt: store.explainAt,
    audit: auditor.run,
    admission,
    share,
    probing,
    ring,
    now,
    rollback,
    heard: ledger.heard,
    skew: metrics.skew,
    whyNotLeading,
    leader: leadership.leader,
    answered: (answer) => {
      metrics.answered(answer)
      connections.noteAnswer()
    },
    log,
  }
  const { term } = ledger
  const apiSettings: ApiSettings = { ...limits, currency, ledgerId, term, version: VERSION }
  const http =
    config.http &&
    (await createHttpServer(
      { ...apiPorts, connections, earlier: leadership.standbyServer },
      { ...apiSettings, ...config.http },
    ))
  if (http) opened.defer(() => http.drain(config.shutdownTimeoutMs))
  const relayed = await openTransports(
    { ...apiPorts, connections, carrierRefused: metrics.refusedAt('carrier') },
    apiSettings,
    config,
  )
  opened.defer(() => relayed.drain(config.shutdownTimeoutMs))
  metrics.observeWaits(() => (http?.waiting() ?? 0) + relayed.waiting())
  metrics.observeTransports(relayed)
  const api = http && urlOf('https', config.http?.host, (await http.listen()).port)
  if (api) await store.noteAddress(api)

  // 7. Metrics and the dashboard.
  const scraped =
    config.metrics &&
    (await startMetricsServer(config.metrics, metrics.registry, {
      tls: config.metricsSecure ? http?.tls().context : undefined,
      connections,
    }))
  if (scraped) {
    opened.defer(scraped.close)
    http?.onRotation(({ context }) => scraped.renew(context))
  }
  const dashboard =
    config.dashboard &&
    (await createDashboardServer({
      writer,
      history,
      explainAt: store.explainAt,
      decisionOf: ledger.decision,
      earlier: () => ring.filled.then(ring.newest),
      now,
      ...given({ token: textIn(config.dashboardTokenFile) }),
      connections,
      address: config.dashboard,
      hostNames: config.dashboardHosts ?? [],
      currency,
      refusals,
      audit: auditor.report,
      guessed: metrics.refusedAt('page'),
      onFault: (cause) => log.error({ err: cause }, 'the dashboard failed'),
    }))
  if (dashboard) opened.defer(dashboard.close)

  const metricsScheme = config.metricsSecure ? 'https' : 'http'
  const urls: Urls = {
    ...(api && { api }),
    ...(health && { health: urlOf('http', config.health?.host, health.port) }),
    ...(scraped && { metrics: urlOf(metricsScheme, config.metrics?.host, scraped.port) }),
    ...(dashboard && { dashboard: await dashboard.listen() }),
  }
  readiness.follow(() => ({
    trouble: writer.trouble(),
    audit: auditor.report(),
    rollback: rollback.trouble(),
    chores: store.trouble() ?? ledger.trouble() ?? leadership.trouble() ?? objects?.trouble(),
    transports: relayed.transports,
  }))
  opened.defer(readiness.leave)
  store.beginChores?.()
  opened.defer(settleHeap({ writer, store, connections, log }).stop)
  log.info({ ...urls, version: VERSION }, 'the broker is ready')
  return running(urls, opened.move(), log)
}

function textIn(path: string | undefined): string | undefined {
  return path === undefined ? undefined : readFileSync(path, 'utf8').trim()
}

/** Memory and disk may differ: the broker must stop at once. */
function exitWith(cause: Error, log: Logger): void {
  log.fatal({ err: cause }, cause.message)
  process.exit(EXIT_CRASH)
}
