// Budget: 120 seconds.
import type { KubeObject } from '@bourse/kube'
import { describe, expect, it } from 'vitest'
import { useKubeconfigs } from './use-kubeconfigs.ts'
import { usePeers } from './use-peers.ts'

const networkings: Readonly<Record<string, number>> = { rome: 1, paris: 2 }
const networking = (group: string, plural: string, kind: string) => ({
  ...{ group, version: 'v1beta1', plural, kind, namespaced: true },
})
const CONNECTION = networking('networking.liqo.io', 'connections', 'Connection')
const GATEWAYS = {
  rome: networking('networking.liqo.io', 'gatewayclients', 'GatewayClient'),
  paris: networking('networking.liqo.io', 'gatewayservers', 'GatewayServer'),
} as const
const POD = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true }

describe('peering by liqoctl, with a tunnel', () => {
  const kubeconfigs = useKubeconfigs()
  const peers = usePeers({
    agentRights: 'chart-liqoctl',
    liqoNetworking: (id) => ({
      podCIDR: `10.${networkings[id]}.0.0/16`,
      externalCIDR: `10.7${networkings[id]}.0.0/16`,
    }),
    agentFlags: () => [
      ...kubeconfigs.flags(),
      ...['--peering-networking=wireguard', '--gateway-service-type=NodePort'],
    ],
  })
  const { federation, inCluster, until, active, returned } = peers

  /** What a gateway would say, if there were a network between machines. */
  async function connects(city: 'rome' | 'paris', other: string): Promise<void> {
    const { client } = inCluster(city)
    const namespace = `liqo-tenant-${other}`
    const gateway = await until(`${city} has a gateway`, async () => {
      return (await client.list(GATEWAYS[city], { namespace })).items[0]
    })
    const pod = await until(`the gateway of ${city} has a pod`, async () => {
      return (await client.list(POD, { namespace })).items[0]
    })
    const address = { podIP: '10.1.0.9', podIPs: [{ ip: '10.1.0.9' }] }
    await client.mergePatch(POD, pod.metadata, { status: address }, { subresource: 'status' })
    const labels = { 'liqo.io/remote-cluster-id': other }
    const made = await client.create<KubeObject>(CONNECTION, {
      ...{ apiVersion: 'networking.liqo.io/v1beta1', kind: 'Connection' },
      metadata: { name: `gw-${other}`, namespace, labels },
      spec: {
        type: city === 'rome' ? 'Client' : 'Server',
        gatewayRef: { name: gateway.metadata.name, namespace },
      },
    })
    const latency = { value: '12ms', timestamp: new Date().toISOString() }
    const status = { value: 'Connected', latency }
    await client.mergePatch(CONNECTION, made.metadata, { status }, { subresource: 'status' })
  }

  it('has liqoctl build it, by the Service that the flags choose', async () => {
    await kubeconfigs.bring(federation(), 'paris', 'rome')
    await inCluster('rome').ask('job', { cpu: '2', memory: '4Gi', duration: '1h' })

    await connects('paris', 'rome')
    await connects('rome', 'paris')

    await active('job')
    const connected = await until('the tunnel is among the steps', async () => {
      const { conditions = [] } = (await inCluster('rome').request('job'))?.status ?? {}
      return conditions.find(({ type, status }) => type === 'NetworkReady' && status === 'True')
    })
    expect(connected.message).toBe('liqoctl has connected the two clusters')
    const servers = await inCluster('paris').client.list<KubeObject>(GATEWAYS.paris)
    expect(servers.items.map(({ spec }) => spec)).toMatchObject([
      { endpoint: { serviceType: 'NodePort' } },
    ])
  })

  it('has liqoctl take it away with the last reservation', async () => {
    await inCluster('rome').remove('job')
    await returned('job')

    await peers.untilNothingIsLeft()
    await until('no gateway is left', async () => {
      const ends = (['rome', 'paris'] as const).map((city) =>
        inCluster(city).client.list(GATEWAYS[city]),
      )
      const left = (await Promise.all(ends)).flatMap(({ items }) => items)
      return left.length === 0 || undefined
    })
  })
})
