// Budget: 120 seconds.
import { describe, it } from 'vitest'
import { usePeers } from './use-peers.ts'
import { deployment } from './workload.ts'

const IN_SHOP = '--namespace=shop'
const amounts = { cpu: '500m', memory: '512Mi' }

describe('a provider that is gone for good', () => {
  const { federation, inCluster, kubectl, liqoIn, until, nodeOf } = usePeers({
    agentFlags: () => ['--peering=native', '--drain-timeout=5s', '--peering-grace=5s'],
  })
  const untilWebRunsOn = (node: string) =>
    until(`web runs on ${node}`, async () => {
      // One that was there is forgotten only later, by Kubernetes itself.
      const running = `--field-selector=status.phase=Running,spec.nodeName=${node}`
      const pods = ['get', 'pods', IN_SHOP, '--selector=app=web', running, '--output=name']
      return (await kubectl('rome', pods)) !== '' || undefined
    })

  it('keeps neither the node nor the namespace, and its pods come home', async () => {
    await kubectl('rome', ['create', 'namespace', 'shop'])
    await kubectl('rome', ['cordon', 'rome-1'])
    await inCluster('rome').ask('job', { duration: '1h', offload: { namespaces: ['shop'] } })
    await inCluster('rome').until('job', 'its namespace is offloaded', ({ conditions = [] }) =>
      conditions.some(({ type, status }) => type === 'NamespaceOffloaded' && status === 'True'),
    )
    const { reservationName = '' } = await inCluster('rome').phase('job', 'Active')
    const web = deployment('web', { namespace: 'shop', replicas: 1, amounts })
    await kubectl('rome', ['apply', '--filename=-'], web)
    await untilWebRunsOn((await nodeOf(reservationName)).metadata.name)
    await kubectl('rome', ['uncordon', 'rome-1'])
    const { controlPlane, agent } = federation().cluster('paris')
    await Promise.all([agent.kill(), controlPlane.apiServer.kill()])

    await inCluster('rome').remove('job')

    await until('nothing of it is left in rome', async () => {
      const left = await liqoIn('rome').ofReservations()
      const namespaces = await kubectl('rome', ['get', 'namespaceoffloadings', IN_SHOP, '-o=name'])
      const request = await inCluster('rome').request('job')
      return (left.length === 0 && namespaces === '' && request === undefined) || undefined
    })
    await untilWebRunsOn('rome-1')
  })
})
