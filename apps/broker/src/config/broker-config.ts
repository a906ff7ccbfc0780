import { existsSync } from 'node:fs'
import { brokerFlags } from './broker-flags.ts'
import { readConfigFile } from './config-file.ts'
import type { BindAddress, ListSource } from './flag-kinds.ts'
import { type FlagInput, type FlagValues, readFlags } from './flag-table.ts'

type Written = FlagValues<typeof brokerFlags>

/** What the broker runs on: every duration in milliseconds, `undefined` addresses are off. */
export type BrokerConfig = Readonly<{
  http: Readonly<{ host?: string; port: number; certPath: string; maxConnections: number }>
  store: StoreConfig
  /** How to reach an API server; absent: nothing here needs one. */
  kubernetes?: Readonly<{ kubeconfig?: string }>
  /** Absent: this broker is the only one. */
  election?: ElectionConfig
  dataDir: string
  historyMs: number
  snapshotEvery: number
  adopt: boolean
  staleAfterMs: number
  scoreWeights: Readonly<Record<string, number>>
  currency: string
  maxDurationMs: number
  defaultDurationMs?: number
  drainTimeoutMs: number
  reclaimAfterMs: number
  /** Absent: no limit. */
  rateLimit?: Readonly<{ perSecond: number; burst: number }>
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
export function readBrokerConfig(input: Omit<FlagInput, 'file'>): BrokerConfigReading {
  const path = configPath(input)
  if (path === undefined) return readWith(input)
  if (!existsSync(path))
    return { kind: 'bad', problems: [`--config names ${path}, and there is no such file.`] }
  const file = readConfigFile(path)
  return file.kind === 'bad' ? file : readWith({ ...input, file })
}

/** The file has to be known before the flags that it may set. */
function configPath({ argv, env }: Omit<FlagInput, 'file'>): string | undefined {
  const { config } = brokerFlags
  const read = readFlags({ config }, { argv: argv.filter((_, at) => isConfig(argv, at)), env })
  return read.kind === 'values' ? read.values.config : undefined
}

function isConfig(argv: readonly string[], at: number): boolean {
  const isName = (argument = '') => /^--?config$/.test(argument)
  return /^--?config(=|$)/.test(argv[at] ?? '') || isName(argv[at - 1])
}

function readWith(input: FlagInput): BrokerConfigReading {
  const read = readFlags(brokerFlags, input)
  if (read.kind === 'bad') return read
  const { problems, notes } = judge(read.values, read.sources)
  if (problems.length > 0) return { kind: 'bad', problems }
  return { kind: 'config', config: toConfig(read.values), notes }
}

/** What each value alone cannot tell: whether they make sense together, in this release. */
function judge(
  written: Written,
  sources: Readonly<Record<keyof Written, string>>,
): { problems: string[]; notes: string[] } {
  const problems: string[] = []
  const notes: string[] = []
  if (written.brokerInterface?.includes('kubernetes')) problems.push(NO_KUBERNETES_INTERFACE)
  else if (written.httpCertPath === undefined)
    problems.push(written.brokerInterface ? NO_CERTIFICATES : NO_INTERFACE)
  else if (!written.brokerInterface) notes.push(HTTP_ONLY)
  judgeStore(written, problems, notes)
  if (sources.kubeconfig !== 'default' && !needsKubernetes(written))
    notes.push('--kubeconfig has no effect without the kubernetes interface, store or lease.')
  if ((written.defaultDuration ?? 0) > written.maxDuration)
    problems.push('--default-duration is longer than --max-duration: make it shorter.')
  if (needsToken(written.dashboardBindAddress) && !written.dashboardTokenFile)
    problems.push(DASHBOARD_NEEDS_TOKEN)
  return { problems, notes }
}

function judgeStore(written: Written, problems: string[], notes: string[]): void {
  const store = storeOf(written)
  if (store === 'postgres' && written.postgresUrl === undefined)
    problems.push('--store=postgres needs --postgres-url=URL, or BOURSE_POSTGRES_URL.')
  if (store === 'sqlite' && written.leaderElect)
    notes.push('--leader-elect has no effect with --store=sqlite: one broker owns the directory.')
  if (store !== 'sqlite' && !written.leaderElect)
    notes.push(`Without --leader-elect, run one broker only on this ${store} store.`)
  if (written.leaseDuration % 1_000 !== 0)
    problems.push('--lease-duration must be whole seconds: a Lease knows nothing smaller.')
  if (written.leaseRenew >= written.leaseDuration || written.leaseRetry >= written.leaseRenew)
    problems.push('--lease-retry must be below --lease-renew, and that below --lease-duration.')
}

/** contract: sqlite without the kubernetes interface, else kubernetes. */
function storeOf({ store, brokerInterface }: Written): NonNullable<Written['store']> {
  return store ?? (brokerInterface?.includes('kubernetes') ? 'kubernetes' : 'sqlite')
}

function isElected(written: Written): boolean {
  return written.leaderElect && storeOf(written) !== 'sqlite'
}

function needsKubernetes(written: Written): boolean {
  return storeOf(written) === 'kubernetes' || isElected(written)
}

const NO_KUBERNETES_INTERFACE =
  '--broker-interface=kubernetes comes with the next release: use --broker-interface=http for now.'
const NO_INTERFACE =
  'The default interface, kubernetes, comes with the next release: give --http-cert-path=DIR ' +
  '(tls.crt, tls.key, ca.crt) to run the REST API. `bourse ca init` makes such a directory.'
const NO_CERTIFICATES =
  '--broker-interface=http needs --http-cert-path=DIR with tls.crt, tls.key and ca.crt. ' +
  '`bourse ca init` and `bourse ca issue` make such a directory.'
const HTTP_ONLY =
  'Running the http interface only: the kubernetes interface comes with the next release.'
const DASHBOARD_NEEDS_TOKEN =
  '--dashboard-bind-address is not on loopback: give --dashboard-token-file=FILE, or use ' +
  '127.0.0.1:PORT, or 0 for off.'

function needsToken(address: BindAddress | 'off'): boolean {
  if (address === 'off') return false
  return !/^(127\.\d+\.\d+\.\d+|::1|localhost)$/.test(address.host ?? '')
}

function toConfig(written: Written): BrokerConfig {
  return {
    http: {
      ...(written.httpHost === undefined ? {} : { host: written.httpHost }),
      port: written.httpPort,
      certPath: written.httpCertPath ?? '',
      maxConnections: written.maxConnections,
    },
    store: storeConfigOf(written),
    dataDir: written.dataDir,
    historyMs: written.history,
    snapshotEvery: written.snapshotEvery,
    adopt: written.adopt,
    staleAfterMs: written.staleAfter,
    scoreWeights: written.scoreWeights,
    currency: written.currency,
    maxDurationMs: written.maxDuration,
    drainTimeoutMs: written.drainTimeout,
    reclaimAfterMs: written.reclaimAfter,
    shutdownTimeoutMs: written.shutdownTimeout,
    metricsSecure: written.metricsSecure,
    metricsTenants: written.metricsTenants,
    logLevel: written.logLevel,
    logFormat: written.logFormat,
    ...optionalParts(written),
  }
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
  const { kubeconfig } = written
  return {
    ...(needsKubernetes(written) && {
      kubernetes: kubeconfig === undefined ? {} : { kubeconfig },
    }),
    ...(isElected(written) && { election: electionOf(written) }),
    ...(defaultDuration === undefined ? {} : { defaultDurationMs: defaultDuration }),
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
