import { given } from '@bourse/daemon/given'
import {
  type BindAddress,
  type FlagInput,
  type ListSource,
  type RatesSource,
  readSettings,
  splitList,
  usualLogFormat,
} from '@bourse/daemon/settings'
import type { Policy } from '@bourse/domain/placement'
import type { AnchorConfig } from './anchor-flag.ts'
import { brokerFlags, type Written } from './broker-flags.ts'
import {
  hasInterface,
  type Interfaces,
  isElected,
  judge,
  needsKubernetes,
  storeOf,
} from './judge-settings.ts'

/** The broker's settings: durations in milliseconds; absent addresses are off. */
export type BrokerConfig = Readonly<{
  /** The REST API; absent: not opened. */
  http?: HttpConfig
  /** The same calls by gRPC. */
  grpc?: HttpConfig
  /** The same calls through MQTT servers. */
  mqtt?: Readonly<{ urls: readonly string[]; certPath: string }>
  /** The Kubernetes interface: Reservations and ClusterAdvertisements; absent: not opened. */
  objects?: Readonly<{ httpNamespace: string }>
  store: StoreConfig
  /** How to reach an API server; absent: no setting needs one. */
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
  policy: Policy
  currency: string
  /** Absent: only prices in `currency` count. */
  rates?: RatesSource
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
  logFormat: NonNullable<Written['logFormat']>
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

/** Reads flags, environment and config file. */
export async function readBrokerConfig(
  input: Omit<FlagInput, 'file'>,
): Promise<BrokerConfigReading> {
  const read = await readSettings(brokerFlags, input)
  if (read.kind === 'bad') return read
  const { interfaces, notes: chosen } = chooseInterfaces(read.values, input.env)
  const written = { ...read.values, brokerInterface: interfaces }
  const { problems, notes } = judge(written, read.sources)
  if (problems.length > 0) return { kind: 'bad', problems }
  return { kind: 'config', config: toConfig(written), notes: [...chosen, ...notes] }
}

/**
 * contract: kubernetes, plus http when there are certificates for it. On a machine where nothing
 * says which API server, certificates alone are a broker that needs none.
 */
function chooseInterfaces(
  { brokerInterface, httpCertPath, kubeconfig }: Written,
  env: FlagInput['env'],
): { interfaces: Interfaces; notes: string[] } {
  if (brokerInterface) return { interfaces: brokerInterface, notes: [] }
  const hasApiServer = kubeconfig || env.KUBECONFIG || env.KUBERNETES_SERVICE_HOST
  if (httpCertPath === undefined)
    return { interfaces: ['kubernetes'], notes: hasApiServer ? [] : [KUBERNETES_ONLY] }
  if (hasApiServer) return { interfaces: ['http', 'kubernetes'], notes: [] }
  return { interfaces: ['http'], notes: [HTTP_ONLY] }
}

const HTTP_ONLY =
  'Running the http interface only: nothing here names an API server. Give --kubeconfig=FILE for ' +
  'the kubernetes interface too, or --broker-interface=http to confirm this.'
const KUBERNETES_ONLY =
  'Running the kubernetes interface only, by the kubeconfig in the home directory. Without ' +
  'Kubernetes: --broker-interface=http --http-cert-path=DIR.'

function toConfig(written: Written): BrokerConfig {
  return {
    store: storeConfigOf(written),
    dataDir: written.dataDir,
    historyMs: written.history,
    snapshotEvery: written.snapshotEvery,
    adopt: written.adopt,
    staleAfterMs: written.staleAfter,
    policy: written.scoreWeights,
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
    logFormat: written.logFormat ?? usualLogFormat(),
    ...optionalParts(written),
  }
}

function httpConfigOf(written: Written): HttpConfig {
  return {
    ...given({ host: written.httpHost }),
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
      return { kind: 'kubernetes', slots, ...given({ namespace }) }
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
    ...given({ namespace, publicUrl }),
  }
}

/** Absent rather than undefined: a part asks whether it is there, not what it is. */
function optionalParts(written: Written) {
  const { anchor, allowClusters, denyClusters, dashboardTokenFile, rateLimit, rates } = written
  const has = (name: Interfaces[number]) => hasInterface(written, name)
  return {
    ...(has('http') && { http: httpConfigOf(written) }),
    ...(has('grpc') && { grpc: { ...httpConfigOf(written), port: written.grpcPort } }),
    ...(has('mqtt') && { mqtt: mqttConfigOf(written) }),
    ...(has('kubernetes') && { objects: { httpNamespace: written.httpNamespace } }),
    ...(needsKubernetes(written) && { kubernetes: given({ kubeconfig: written.kubeconfig }) }),
    ...(isElected(written) && { election: electionOf(written) }),
    ...(rateLimit > 0 && { rateLimit: { perSecond: rateLimit, burst: 2 * rateLimit } }),
    ...given({
      anchor,
      allowClusters,
      denyClusters,
      rates,
      dashboardTokenFile,
      defaultDurationMs: written.defaultDuration,
      dashboardHosts: written.dashboardHosts?.split(',').map((name) => name.trim()),
      health: unlessOff(written.healthProbeBindAddress),
      metrics: unlessOff(written.metricsBindAddress),
      dashboard: unlessOff(written.dashboardBindAddress),
    }),
  }
}

const unlessOff = (bind: BindAddress | 'off') => (bind === 'off' ? undefined : bind)
