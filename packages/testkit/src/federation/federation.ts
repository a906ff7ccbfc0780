import { grantAgentRights } from '../control-plane/agent-rights.ts'
import { agentKinds } from '../control-plane/bourse-kinds.ts'
import { aNode } from '../control-plane/builders.ts'
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts'
import { type Liqo, type LiqoNetworking, liqoNeeds, startLiqo } from '../liqo/index.ts'
import { type BrokerOptions, startBroker, type TestBroker } from '../processes/broker-process.ts'
import type { Part } from '../processes/part.ts'
import { createAgent } from './agent-process.ts'

/** What each of a cluster's nodes has. */
type Nodes = readonly Readonly<Record<string, string>>[]

export type FederationOptions = Readonly<{
  /** By id; each has one node of 8 cores and 32Gi unless told otherwise. */
  clusters: readonly string[]
  nodes?: Readonly<Record<string, Nodes>>
  broker?: BrokerOptions
  /** For all agents, or by cluster id. */
  agentFlags?: (clusterId: string, apiServerUrl: string) => readonly string[]
  /** Of every cluster's controllers. */
  controllerFlags?: readonly string[]
  /** What the agents find in their environment. */
  agentEnv?: Readonly<Record<string, string>>
  /** Real Liqo in each cluster, under the id of the cluster. */
  withLiqo?: boolean
  /** With its networking controllers, and with this behind the gateways of a cluster. */
  liqoNetworking?: (clusterId: string) => LiqoNetworking
  /** The rights of agents: as in the chart (default), with its admission policies; or all. */
  agentRights?: 'all' | 'chart' | 'chart-liqoctl'
}>

/** One cluster of a federation: a real control plane, and its agent as a process of its own. */
export type MemberCluster = Readonly<{
  id: string
  controlPlane: ControlPlane
  /** If it was asked for. */
  liqo: Liqo | undefined
  agent: Part
  /** Where the agent says whether it is ready, and why not. */
  healthUrl: string
  metricsUrl: string
}>

export type Federation = Readonly<{
  broker: TestBroker
  cluster(id: string): MemberCluster
  dispose(): Promise<void>
}>

/** Several clusters, one broker and an agent each, everything between them over mTLS. */
export async function startFederation(options: FederationOptions): Promise<Federation> {
  const broker = await startBroker(options.broker)
  const members = new Map<string, MemberCluster>()

  async function dispose(): Promise<void> {
    const all = [...members.values()]
    await Promise.all(all.map(({ agent }) => agent.end()))
    await Promise.all(all.map(({ liqo }) => liqo?.stop()))
    await Promise.all([broker.dispose(), ...all.map(({ controlPlane }) => controlPlane.stop())])
  }
  async function enter(id: string): Promise<void> {
    const { controllerFlags = [] } = options
    const needs = options.withLiqo ? liqoNeeds() : { withKwok: true, kinds: [] }
    const kinds = [...needs.kinds, ...agentKinds]
    const controlPlane = await startControlPlane({ ...needs, kinds, controllerFlags })
    const certPath = await broker.certificates.forCluster(id)
    const flags = options.agentFlags?.(id, controlPlane.url) ?? []
    const kubeconfig = await admit(controlPlane, options)
    const agent = await createAgent(id, {
      kubeconfig,
      certPath,
      brokerUrl: broker.url,
      flags,
      env: options.agentEnv ?? {},
    })
    members.set(id, { id, controlPlane, liqo: undefined, ...agent })
    await addNodes(controlPlane, id, options.nodes?.[id] ?? [{}])
    if (options.withLiqo) {
      const networking = options.liqoNetworking?.(id)
      const liqo = await startLiqo(controlPlane, {
        clusterId: id,
        ...(networking && { networking }),
      })
      members.set(id, { id, controlPlane, liqo, ...agent })
    }
    await agent.agent.start()
  }
  // If one fails, the others must not be left running.
  const joined = await Promise.allSettled(options.clusters.map(enter))
  const failed = joined.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') {
    await dispose()
    throw failed.reason
  }

  return {
    broker,
    cluster(id) {
      const member = members.get(id)
      if (!member)
        throw new Error(`${id} is not in this federation: ${options.clusters.join(', ')}`)
      return member
    },
    dispose,
  }
}

/** A kubeconfig with these rights. */
async function admit(
  controlPlane: ControlPlane,
  { agentRights = 'chart', liqoNetworking }: FederationOptions,
): Promise<string> {
  if (agentRights === 'all') return controlPlane.adminKubeconfig
  if (agentRights === 'chart')
    return grantAgentRights(controlPlane, 'agent-admission', 'agent-placeholders')
  const tunnels = liqoNetworking ? (['agent-liqoctl-networking'] as const) : []
  return grantAgentRights(controlPlane, 'agent-liqoctl', ...tunnels)
}

async function addNodes({ kubectl }: ControlPlane, id: string, nodes: Nodes): Promise<void> {
  const items = nodes.map((amounts, at) => aNode(`${id}-${at + 1}`, amounts))
  const list = { apiVersion: 'v1', kind: 'List', items }
  await kubectl(['apply', '--filename=-'], JSON.stringify(list))
  await kubectl(['wait', '--for=condition=Ready', 'node', '--all', '--timeout=60s'])
}
