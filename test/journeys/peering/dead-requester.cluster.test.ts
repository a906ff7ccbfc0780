// Budget: 120 seconds.
import { describe, expect, it } from 'vitest'
import { usePeers } from './use-peers.ts'
import { deployment } from './workload.ts'

const amounts = { cpu: '500m', memory: '512Mi' }

describe('a requester that is gone for good', () => {
  const peers = usePeers({
    agentFlags: () => ['--peering=native', '--take-back-after=2s', '--peering-grace=5s'],
  })
  const { federation, inCluster, kubectl, liqoIn, until } = peers

  /** Its agent, its Liqo and its control plane: nothing will ever speak for it again. */
  async function kill(id: string): Promise<void> {
    const { agent, liqo, controlPlane } = federation().cluster(id)
    const { apiServer, etcd, controllers, scheduler, kwok } = controlPlane
    await agent.kill()
    await liqo?.stop()
    await Promise.all([apiServer, etcd, controllers, scheduler, kwok].map((part) => part?.kill()))
  }

  it('keeps nothing at its provider, and the broker lends all of it again', async () => {
    const before = await peers.contents()
    await kubectl('rome', ['create', 'namespace', 'shop'])
    const offload = { namespaces: ['shop'], strategy: 'Remote' }
    await inCluster('rome').ask('job', { cpu: '2', memory: '4Gi', duration: '1h', offload })
    await inCluster('rome').until('job', 'its namespace is offloaded', ({ conditions = [] }) =>
      conditions.some(({ type, status }) => type === 'NamespaceOffloaded' && status === 'True'),
    )
    const { reservationName = '' } = await peers.active('job')
    const web = deployment('web', { namespace: 'shop', replicas: 1, amounts })
    await kubectl('rome', ['apply', '--filename=-'], web)
    await until('its pod runs in paris', async () =>
      (await liqoIn('paris').guests()).some(({ status }) => status?.phase === 'Running'),
    )
    await kill('rome')

    const operator = await federation().broker.anOperator()
    await operator.release({ id: reservationName })

    await until('paris has nothing to lend to it', async () => {
      return (await inCluster('paris').lent()).length === 0
    })
    await peers.untilAsBefore(before, ['paris'])
    const offered = await until('paris offers all of it again', async () => {
      const { resources } = await operator.getCluster('paris')
      return resources.available.cpu === '16' ? resources : undefined
    })
    expect(offered).toMatchObject({ reserved: { cpu: '0' }, available: { memory: '64Gi' } })
  })
})
