import { createHash } from 'node:crypto'
import { apiVersionOf, type Kind, type KubeObject } from '@bourse/kube'
import { SECRET } from '../../../kubernetes/kinds.ts'
import {
  CONFIGURATION,
  CONNECTION,
  GATEWAY_CLIENT,
  GATEWAY_SERVER,
  PUBLIC_KEY,
  REMOTE_LABEL,
} from '../liqo/liqo-kinds.ts'
import type { GatewayClient, PublicKey } from '../liqo/tunnel-objects.ts'
import type { FakeLiqo, FakeWorld } from './fake-liqo.fixture.ts'

/** Gateways with keys, and a connection between two that know each other. */
export async function connect(liqo: FakeLiqo, world: FakeWorld): Promise<void> {
  const { cluster, liqoId } = liqo
  const endpoint = { addresses: [`${liqoId}.example`], port: 30_001, protocol: 'UDP' }
  for (const one of cluster.all<GatewayClient>(GATEWAY_SERVER))
    await open(one, GATEWAY_SERVER, { endpoint })
  for (const one of cluster.all<GatewayClient>(GATEWAY_CLIENT)) await open(one, GATEWAY_CLIENT, {})

  async function open(gateway: GatewayClient, kind: Kind, more: object): Promise<void> {
    const { name, namespace = '', labels = {}, uid = '' } = gateway.metadata
    const ownerReferences = [{ apiVersion: apiVersionOf(kind), kind: kind.kind, name, uid }]
    const metadata = { name: `gw-${name}`, namespace, labels, ownerReferences }
    if (!gateway.status) {
      const data = { publicKey: gatewayKeyOf(liqoId) }
      await cluster.client.create(SECRET, { ...bare(SECRET, metadata), data } as KubeObject)
      const status = { secretRef: { name: metadata.name, namespace }, ...more }
      await cluster.client.replaceStatus(kind, { ...gateway, status })
      return
    }
    const remote = labels[REMOTE_LABEL] ?? ''
    const other = world.liqos.get(remote)
    if (!other || cluster.find(CONNECTION, metadata.name)) return
    if (!isIntroduced(liqo, remote) || !isIntroduced(other, liqoId)) return
    const status = { value: 'Connected', latency: { value: '12ms' } }
    await cluster.client.create(CONNECTION, { ...bare(CONNECTION, metadata), status })
  }
}

/** They can speak: each knows what is behind the other, and its key; one calls, one answers. */
function isIntroduced({ cluster }: FakeLiqo, other: string): boolean {
  const key = cluster.find<PublicKey>(PUBLIC_KEY, other)?.spec?.publicKey
  return key === gatewayKeyOf(other) && cluster.find(CONFIGURATION, other) !== undefined
}

export function gatewayKeyOf(liqoId: string): string {
  return createHash('sha256').update(liqoId).digest('base64')
}

/** What is behind a cluster's gateway, as its IPAM has it. */
export function networksOf(liqoId: string): KubeObject[] {
  const network = (type: string, cidr: string): KubeObject => {
    const labels = { 'ipam.liqo.io/network-type': type }
    const metadata = { name: type, namespace: 'liqo', labels }
    return { apiVersion: 'ipam.liqo.io/v1alpha1', kind: 'Network', metadata, status: { cidr } }
  }
  const second = liqoId.startsWith('rome') ? 1 : 2
  return [
    network('pod-cidr', `10.${second}.0.0/16`),
    network('external-cidr', `10.7${second}.0.0/16`),
  ]
}

function bare(kind: Kind, metadata: KubeObject['metadata']): KubeObject {
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata }
}
