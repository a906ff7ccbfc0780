import {
  type BindAddress,
  type FlagInput,
  type FlagValues,
  type ListSource,
  readSettings,
  splitList,
} from '@bourse/daemon/settings'
import type { AnchorConfig } from './anchor-flag.ts'
import { brokerFlags } from './broker-flags.ts'

type Written = FlagValues<typeof brokerFlags>

/** What the broker runs on: every duration in milliseconds, `undefined` addresses are off. */
export type BrokerConfig = Readonly<{
  /** The REST API; absent: that door stays shut. */
  http?: HttpConfig
  /** The same calls by gRPC. */
  grpc?: HttpConfig
  /** The same calls through MQTT servers. */
  mqtt?: Readonly<{ urls: readonly string[]; certPath: string }>
  /** Reservations and ClusterAdvertisements as doors and windows; absent: not looked at. */
  objects?: Readonly<{ httpNamespace: string }>
  store: StoreConfig
  /** How to reach an API server; absent: nothing here needs one. */
  kubernetes?: Readonly<{ kubeconfig?: string }>
  /** Absent: this broker is the only one. */
  election?: ElectionConfig
  dataDir: string
  /** Where it is noted, outside the store, how far the ledger is. */
  anchor?: AnchorConfig
  historyMs: number
  snapshotEvery: number
  adopt: boolean
  staleAfterMs: number
  scoreWeights: Readonly<Record<string, number>>
  currency: string
  maxDurationMs: number
  defaultDurationMs?: number
  /** The most that the priority of a request counts, unless an operator makes it. */
  maxPriority: number
  drainTimeoutMs: number
  reclaimAfterMs: number
  /** Absent: no limit. */
  rateLimit?: Readonly<{ perSecond: number; burst: number }>
  /** 0: no limit. */
  journalMibPerDay: number
  allowClusters?: ListSource
  denyClusters?: ListSource
  shutdownTimeoutMs: number
  health?: BindAddress
  metrics?: BindAddress
  metricsSecure: boolean
  /** Whether requesters may be named in metrics. */
  metricsTenants: boolean
  dashboard?: BindAddress
  dashboardTokenFile?: string
  /** Names beyond loopback and the bound address that the page answers to. */
  dashboardHosts?: readonly string[]
  logLevel: Written['logLevel']
  logFormat: Written['logFormat']
}>

export type HttpConfig = Readonly<{
  host?: string
  port: number
  certPath: string
  maxConnections: number
}>

export type StoreConfig =
  | Readonly<{ kind: 'sqlite' }>
  | Readonly<{ kind: 'kubernetes'; namespace?: string; slots: number }>
  | Readonly<{ kind: 'postgres'; url: string }>

export type ElectionConfig = Readonly<{
  name: string
  namespace?: string
  leaseMs: number
  renewMs: number
  retryMs: number
  publicUrl?: string
}>

export type BrokerConfigReading =
  /** `notes`: what is worth a line in the log before anything starts. */
  | Readonly<{ kind: 'config'; config: BrokerConfig; notes: readonly string[] }>
  | Readonly<{ kind: 'bad'; problems: readonly string[] }>

/** Reads flags, environment and config file into what the broker runs on. */
export async function readBrokerConfig(
  input: Omit<FlagInput, 'file'>,
): Promise<BrokerConfigReading> {
  const read = await readSettings(brokerFlags, input)
  if (read.kind === 'bad') return read
  const { doors, notes: chosen } = chooseDoors(read.values, input.env)
  const written = { ...read.values, brokerInterface: doors }
  const { problems, notes } = judge(written, read.sources)
  if (problems.length > 0) return { kind: 'bad', problems }
  return { kind: 'config', config: toConfig(written), notes: [...chosen, ...notes] }
}

type Doors = NonNullable<Written['brokerInterface']>

/**
 * contract: kubernetes, plus http when there are certificates for it. On a machine where nothing
 * says which API server, certificates alone are a broker that needs none.
 */
function chooseDoors(
  { brokerInterface, httpCertPath, kubeconfig }: Written,
  env: FlagInput['env'],
): { doors: Doors; notes: string[] } {
  if (brokerInterface) return { doors: brokerInterface, notes: [] }
  const hasApiServer = kubeconfig || env.KUBECONFIG || env.KUBERNETES_SERVICE_HOST
  if (httpCertPath === undefined)
    return { doors: ['kubernetes'], notes: hasApiServer ? [] : [KUBERNETES_ONLY] }
  if (hasApiServer) return { doors: ['http', 'kubernetes'], notes: [] }
  return { doors: ['http'], notes: [HTTP_ONLY] }
}

/** What each value alone cannot tell: whether they make sense together, in this release. */
function judge(
  written: Written,
  sources: Readonly<Record<keyof Written, string>>,
): { problems: string[]; notes: string[] } {
  const problems: string[] = []
  const notes: string[] = []
  for (const door of ['http', 'grpc'] as const)
    if (hasDoor(written, door) && written.httpCertPath === undefined)
      problems.push(noCertificates(door))
  if (hasDoor(written, 'mqtt')) judgeMqtt(written, problems)
  if (!hasDoor(written, 'http') && written.metricsSecure) problems.push(NO_METRICS_CERTIFICATE)
  if (!hasDoor(written, 'kubernetes') && written.adopt)
    notes.push('--adopt has no effect without the kubernetes interface.')
  judgeStore(written, problems, notes)
  if (sources.kubeconfig !== 'default' && !needsKubernetes(written))
    notes.push('--kubeconfig has no effect without a kubernetes interface, store, lease or anchor.')
  if ((written.defaultDuration ?? 0) > written.maxDuration)
    problems.push('--default-duration is longer than --max-duration: make it shorter.')
  if (needsToken(written.dashboardBindAddress) && !written.dashboardTokenFile)
    problems.push(DASHBOARD_NEEDS_TOKEN)
  return { problems, notes }
}

function judgeMqtt({ mqttUrl, mqttCertPath, httpCertPath }: Written, problems: string[]): void {
  const urls = splitList(mqttUrl ?? '')
  if (urls.length === 0 || !urls.every((url) => URL.parse(url)?.protocol === 'mqtts:'))
    problems.push('--broker-interface=mqtt needs --mqtt-url=mqtts://HOST:PORT of an MQTT 5 server.')
  if (mqttCertPath === undefined && httpCertPath === undefined)
    problems.push(
      '--broker-interface=mqtt needs --mqtt-cert-path=DIR with a client certificate for that server.',
    )
}

function judgeStore(written: Written, problems: string[], notes: string[]): void {
  const store = storeOf(written)
  if (store === 'postgres' && written.postgresUrl === undefined)
    problems.push('--store=postgres needs --postgres-url=URL, or BOURSE_POSTGRES_URL.')
  if (store === 'sqlite' && written.leaderElect)
    notes.push('--leader-elect has no effect with --store=sqlite: one broker owns the directory.')
  if (store !== 'sqlite' && !written.leaderElect)
    notes.push(`Without --leader-elect, run one broker only on this ${store} store.`)
  if (store === 'kubernetes' && isInConfigMap(written)) notes.push(ANCHOR_BESIDE_STORE)
  if (written.leaseDuration % 1_000 !== 0)
    problems.push('--lease-duration must be whole seconds: a Lease has no smaller unit.')
  if (written.leaseRenew >= written.leaseDuration || written.leaseRetry >= written.leaseRenew)
    problems.push('--lease-retry must be below --lease-renew, and that below --lease-duration.')
}

/** contract: sqlite without the kubernetes interface, else kubernetes. */
function storeOf(written: Written): NonNullable<Written['store']> {
  return written.store ?? (hasDoor(written, 'kubernetes') ? 'kubernetes' : 'sqlite')
}

function hasDoor({ brokerInterface = [] }: Written, door: Doors[number]): boolean {
  return brokerInterface.includes(door)
}

function isElected(written: Written): boolean {
  return written.leaderElect && storeOf(written) !== 'sqlite'
}

function needsKubernetes(written: Written): boolean {
  const isStoreOrAnchor = storeOf(written) === 'kubernetes' || isInConfigMap(written)
  return isStoreOrAnchor || isElected(written) || hasDoor(written, 'kubernetes')
}

function isInConfigMap({ anchor }: Written): boolean {
  return anchor?.kind === 'configmap'
}

function noCertificates(door: string): string {
  return (
    `--broker-interface=${door} needs --http-cert-path=DIR with tls.crt, tls.key and ca.crt. ` +
    '`bourse ca init` and `bourse ca issue` make such a directory.'
  )
}
const ANCHOR_BESIDE_STORE =
  'The ConfigMap of --anchor is kept by the same API server as the store: a backup of etcd that ' +
  'is restored contains both. Choose a file on a volume, or rely on the proofs of callers.'
const HTTP_ONLY =
  'Running the http interface only: nothing here names an API server. Give --kubeconfig=FILE for ' +
  'the kubernetes interface too, or --broker-interface=http to confirm this.'
const KUBERNETES_ONLY =
  'Running the kubernetes interface only, by the kubeconfig in the home directory. Without ' +
  'Kubernetes: --broker-interface=http --http-cert-path=DIR.'
const NO_METRICS_CERTIFICATE =
  "--metrics-secure serves the REST API's certificate: open that interface with --http-cert-path=DIR."
const DASHBOARD_NEEDS_TOKEN =
  '--dashboard-bind-address is not on loopback: give --dashboard-token-file=FILE, or use ' +
  '127.0.0.1:PORT, or 0 for off.'

function needsToken(address: BindAddress | 'off'): boolean {
  if (address === 'off') return false
  return !/^(127\.\d+\.\d+\.\d+|::1|localhost)$/.test(address.host ?? '')
}

function toConfig(written: Written): BrokerConfig {
  return {
    store: storeConfigOf(written),
    dataDir: written.dataDir,
    historyMs: written.history,
    snapshotEvery: written.snapshotEvery,
    adopt: written.adopt,
    staleAfterMs: written.staleAfter,
    scoreWeights: written.scoreWeights,
    currency: written.currency,
    maxDurationMs: written.maxDuration,
    maxPriority: written.maxPriority,
    drainTimeoutMs: written.drainTimeout,
    reclaimAfterMs: written.reclaimAfter,
    journalMibPerDay: written.journalMibPerDay,
    shutdownTimeoutMs: written.shutdownTimeout,
    metricsSecure: written.metricsSecure,
    metricsTenants: written.metricsTenants,
    logLevel: written.logLevel,
    logFormat: written.logFormat,
    ...optionalParts(written),
  }
}

function httpConfigOf(written: Written): HttpConfig {
  return {
    ...(written.httpHost === undefined ? {} : { host: written.httpHost }),
    port: written.httpPort,
    certPath: written.httpCertPath ?? '',
    maxConnections: written.maxConnections ?? connectionsWithin(process.constrainedMemory()),
  }
}

/** A connection with TLS takes 84 KB: half of the memory is for everything else. */
const BYTES_PER_CONNECTION = 2 * 84 * 1024
const CONNECTIONS_MAX = 10_000

/** As many as the container's memory has room for; without a limit it is 0 or beyond all bounds. */
export function connectionsWithin(memoryLimit: number): number {
  if (memoryLimit === 0) return CONNECTIONS_MAX
  return Math.min(CONNECTIONS_MAX, Math.max(1, Math.floor(memoryLimit / BYTES_PER_CONNECTION)))
}

function mqttConfigOf({ mqttUrl = '', mqttCertPath, httpCertPath = '' }: Written) {
  return { urls: splitList(mqttUrl), certPath: mqttCertPath ?? httpCertPath }
}

function storeConfigOf(written: Written): StoreConfig {
  const { storeNamespace: namespace, storeSlots: slots, postgresUrl = '' } = written
  switch (storeOf(written)) {
    case 'sqlite':
      return { kind: 'sqlite' }
    case 'kubernetes':
      return { kind: 'kubernetes', slots, ...(namespace !== undefined && { namespace }) }
    case 'postgres':
      return { kind: 'postgres', url: postgresUrl }
  }
}

function electionOf(written: Written): ElectionConfig {
  const { storeNamespace: namespace, publicUrl } = written
  return {
    name: written.leaseName,
    leaseMs: written.leaseDuration,
    renewMs: written.leaseRenew,
    retryMs: written.leaseRetry,
    ...(namespace !== undefined && { namespace }),
    ...(publicUrl !== undefined && { publicUrl }),
  }
}

/** Absent rather than undefined: a part asks whether it is there, not what it is. */
function optionalParts(written: Written) {
  const { defaultDuration, rateLimit, allowClusters, denyClusters, dashboardTokenFile } = written
  const { kubeconfig, httpNamespace } = written
  return {
    ...(hasDoor(written, 'http') && { http: httpConfigOf(written) }),
    ...(hasDoor(written, 'grpc') && {
      grpc: { ...httpConfigOf(written), port: written.grpcPort },
    }),
    ...(hasDoor(written, 'mqtt') && { mqtt: mqttConfigOf(written) }),
    ...(hasDoor(written, 'kubernetes') && { objects: { httpNamespace } }),
    ...(needsKubernetes(written) && {
      kubernetes: kubeconfig === undefined ? {} : { kubeconfig },
    }),
    ...(isElected(written) && { election: electionOf(written) }),
    ...(defaultDuration === undefined ? {} : { defaultDurationMs: defaultDuration }),
    ...(written.anchor === undefined ? {} : { anchor: written.anchor }),
    ...(rateLimit === 0 ? {} : { rateLimit: { perSecond: rateLimit, burst: 2 * rateLimit } }),
    ...(allowClusters ? { allowClusters } : {}),
    ...(denyClusters ? { denyClusters } : {}),
    ...(dashboardTokenFile === undefined ? {} : { dashboardTokenFile }),
    ...(written.dashboardHosts === undefined
      ? {}
      : { dashboardHosts: written.dashboardHosts.split(',').map((name) => name.trim()) }),
    ...(written.healthProbeBindAddress === 'off' ? {} : { health: written.healthProbeBindAddress }),
    ...(written.metricsBindAddress === 'off' ? {} : { metrics: written.metricsBindAddress }),
    ...(written.dashboardBindAddress === 'off' ? {} : { dashboard: written.dashboardBindAddress }),
  }
}
