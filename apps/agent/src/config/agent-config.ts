import { given } from '@bourse/daemon/given'
import {
  type BindAddress,
  type FlagInput,
  type FlagValues,
  readSettings,
  splitList,
  usualLogFormat,
} from '@bourse/daemon/settings'
import type { NodeRules, SharingLimits } from '../capacity/index.ts'
import { agentFlags } from './agent-flags.ts'

type Written = FlagValues<typeof agentFlags>

/** The agent's settings: durations in milliseconds; absent addresses are off. */
export type AgentConfig = Readonly<{
  broker: BrokerAddress
  instructionPollMs: number
  /** Absent: to be found out at start; see `identity`. */
  clusterId?: string
  kubeconfig?: string
  /** What the advertisement says beyond what is measured. */
  described: Described
  sharing: SharingLimits
  nodeRules: NodeRules
  cost: CostConfig
  advertisement: Readonly<{ name: string; namespace: string; requeueMs: number }>
  instructionNamespace: string
  peering: PeeringConfig
  /** Absent: this agent is its cluster's only one. */
  election?: Readonly<{ name: string; namespace?: string }>
  health?: BindAddress
  metrics?: BindAddress
  /** Directory with tls.crt and tls.key; absent: metrics go over plain http. */
  metricsCertPath?: string
  logLevel: Written['logLevel']
  logFormat: NonNullable<Written['logFormat']>
}>

export type BrokerAddress =
  | Readonly<{ kind: 'http' | 'grpc' | 'mqtt'; url: string; certPath: string }>
  | Readonly<{ kind: 'kubernetes'; kubeconfig: string; namespace: string }>

type Described = Readonly<ReturnType<typeof describedBy>>
export type CostConfig = Readonly<ReturnType<typeof costOf>>

export type PeeringConfig = Readonly<{ kind: 'none' }> | LiqoctlPeeringConfig | NativePeeringConfig

type LiqoConfig = Readonly<ReturnType<typeof liqoConfigOf>>

export type NativePeeringConfig = LiqoConfig &
  Readonly<{
    kind: 'native'
    sliceClass: string
    apiServerUrl?: string
    /** Where requesters reach the gateways here, if not where their Service says. */
    gatewayAddress?: string
    /** How long pods of a reservation that is over may go on. */
    takeBackMs: number
    /** Absent: no room is kept by pods. */
    placeholders?: Readonly<{ priorityClass: string; image: string }>
  }>

export type LiqoctlPeeringConfig = LiqoConfig &
  Readonly<{
    kind: 'liqoctl'
    kubeconfigsDir: string
    binary: string
    timeoutMs: number
    /** Of this cluster. */
    kubeconfig?: string
  }>

export type AgentConfigReading =
  /** `notes`: to log before the start. */
  | Readonly<{ kind: 'config'; config: AgentConfig; notes: readonly string[] }>
  | Readonly<{ kind: 'bad'; problems: readonly string[] }>

/** Reads flags, environment and config file into what the agent runs on. */
export async function readAgentConfig(input: Omit<FlagInput, 'file'>): Promise<AgentConfigReading> {
  const read = await readSettings(agentFlags, input)
  if (read.kind === 'bad') return read
  const problems = judge(read.values)
  if (problems.length > 0) return { kind: 'bad', problems }
  return { kind: 'config', config: toConfig(read.values), notes: notesOn(read.values) }
}

/** What each value alone cannot tell: whether they make sense together. */
function judge(written: Written): string[] {
  const problems: string[] = []
  const transport = transportOf(written)
  if (transport !== 'kubernetes') judgeAddress(written, transport, problems)
  if (transport === 'kubernetes' && written.brokerKubeconfig === undefined)
    problems.push(
      "--broker-transport=kubernetes needs --broker-kubeconfig=FILE of the broker's cluster.",
    )
  if (peeringOf(written) === 'liqoctl' && written.kubeconfigsDir === undefined)
    problems.push(
      '--peering=liqoctl needs --kubeconfigs-dir=DIR with <cluster-id>.kubeconfig files.',
    )
  if (peeringOf(written) === 'native' && transport === 'kubernetes') problems.push(NO_SESSIONS)
  if (written.metricsSecure && written.brokerCertPath === undefined)
    problems.push('--metrics-secure needs --broker-cert-path=DIR: it serves that certificate.')
  return problems
}

function judgeAddress(
  { brokerUrl, brokerCertPath }: Written,
  transport: 'http' | 'grpc' | 'mqtt',
  problems: string[],
): void {
  const scheme = transport === 'mqtt' ? 'mqtts' : 'https'
  if (brokerUrl === undefined) problems.push(NO_BROKER)
  else if (!splitList(brokerUrl).every((url) => url.startsWith(`${scheme}://`)))
    problems.push(`--broker-transport=${transport} needs --broker-url=${scheme}://HOST:PORT.`)
  if (brokerCertPath === undefined) problems.push(NO_CERTIFICATES)
}

function notesOn(written: Written): string[] {
  const notes: string[] = []
  if (transportOf(written) !== 'kubernetes' && written.brokerKubeconfig !== undefined)
    notes.push('--broker-kubeconfig has no effect without --broker-transport=kubernetes.')
  if (transportOf(written) === 'kubernetes' && written.brokerUrl !== undefined)
    notes.push('--broker-url has no effect with the kubernetes transport.')
  if (peeringOf(written) === 'liqoctl' && written.gatewayAddress !== undefined)
    notes.push(
      '--gateway-address has no effect with liqoctl: each provider says where its end is reached.',
    )
  return notes
}

const NO_BROKER =
  '--broker-url is missing: give the address of the broker, such as https://broker.example:8443, ' +
  'or --broker-kubeconfig=FILE for the kubernetes transport.'
const NO_CERTIFICATES =
  '--broker-cert-path is missing: give the directory with tls.crt, tls.key and ca.crt of this ' +
  'cluster. `bourse ca issue rome` makes one.'

const NO_SESSIONS =
  '--peering=native needs --broker-transport=http, grpc or mqtt: agents speak with each other by ' +
  'way of the broker, signed with the certificate of --broker-cert-path.'

/** contract §6: --broker-kubeconfig alone selects kubernetes. */
function transportOf(written: Written): BrokerAddress['kind'] {
  if (written.brokerTransport) return written.brokerTransport
  return written.brokerKubeconfig !== undefined && written.brokerUrl === undefined
    ? 'kubernetes'
    : 'http'
}

/** contract §6: --kubeconfigs-dir selects peering by liqoctl. */
function peeringOf(written: Written): PeeringConfig['kind'] {
  return written.peering ?? (written.kubeconfigsDir === undefined ? 'none' : 'liqoctl')
}

function toConfig(written: Written): AgentConfig {
  const { advertisementName: name, advertisementNamespace: namespace } = written
  return {
    broker: brokerOf(written),
    instructionPollMs: written.instructionPollInterval,
    described: describedBy(written),
    sharing: { share: written.share, keepBack: written.keepBack ?? {} },
    nodeRules: {
      controlPlaneNodes: written.controlPlaneNodes,
      countDedicatedNodes: written.countDedicatedNodes,
      toleratedTaints: written.toleratedTaints ?? [],
    },
    cost: costOf(written),
    advertisement: { name, namespace, requeueMs: written.advertisementRequeueInterval },
    instructionNamespace: written.instructionNamespace ?? namespace,
    peering: peeringConfigOf(written),
    logLevel: written.logLevel,
    logFormat: written.logFormat ?? usualLogFormat(),
    ...optionalParts(written),
  }
}

function brokerOf(written: Written): BrokerAddress {
  const kind = transportOf(written)
  if (kind !== 'kubernetes')
    return { kind, url: written.brokerUrl ?? '', certPath: written.brokerCertPath ?? '' }
  const { brokerKubeconfig: kubeconfig = '', brokerNamespace: namespace } = written
  return { kind, kubeconfig, namespace }
}

function peeringConfigOf(written: Written): PeeringConfig {
  const kind = peeringOf(written)
  switch (kind) {
    case 'none':
      return { kind }
    case 'liqoctl':
      return {
        kind,
        ...liqoConfigOf(written),
        kubeconfigsDir: written.kubeconfigsDir ?? '',
        binary: written.liqoctl,
        timeoutMs: written.liqoctlTimeout,
        ...given({ kubeconfig: written.kubeconfig }),
      }
    case 'native': {
      const { placeholderPriorityClass: priorityClass, placeholderImage: image } = written
      return {
        kind,
        ...liqoConfigOf(written),
        sliceClass: written.sliceClass,
        ...given({ apiServerUrl: written.apiServerUrl, gatewayAddress: written.gatewayAddress }),
        takeBackMs: written.takeBackAfter,
        ...(written.holdWithPlaceholders && { placeholders: { priorityClass, image } }),
      }
    }
  }
}

function liqoConfigOf(written: Written) {
  return {
    liqoNamespace: written.liqoNamespace,
    networking: written.peeringNetworking,
    /** How a requester's gateway reaches that of its provider. */
    serviceType: written.gatewayServiceType,
    /** How long a peering outlives the last reservation of a pair. */
    lingerMs: written.peeringLinger,
    /** How long pods may take to leave a node that is given back. */
    drainTimeoutMs: written.drainTimeout,
    /** How long to wait for a silent cluster. */
    graceMs: written.peeringGrace,
  }
}

function describedBy(written: Written) {
  const { clusterName, endpointUrl, location, labels, visibility } = written
  return { ...given({ clusterName, endpointUrl, location, labels }), visibility }
}

function costOf(written: Written) {
  const { cpuCost, memoryCost, gpuCost, currency, costConfigmap: configMap } = written
  const prices = given({ cpuCost, memoryCost, gpuCost, configMap })
  return { ...prices, currency, fromNodes: written.costFromNodes }
}

/** Absent rather than undefined: a part asks whether it is there, not what it is. */
function optionalParts(written: Written) {
  const { clusterId, kubeconfig, leaseName, leaseNamespace } = written
  const { healthProbeBindAddress: health, metricsBindAddress: metrics } = written
  const metricsCertPath = written.metricsSecure ? written.brokerCertPath : undefined
  const election = { name: leaseName, ...given({ namespace: leaseNamespace }) }
  return {
    ...given({ clusterId, kubeconfig, metricsCertPath }),
    ...(written.leaderElect && { election }),
    ...(health !== 'off' && { health }),
    ...(metrics !== 'off' && { metrics }),
  }
}
