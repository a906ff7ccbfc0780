// Budget: 120 seconds.
import { beforeAll, describe, expect, it } from 'vitest'
import { usePeers } from './use-peers.ts'

/** A user has peered berlin with paris long ago, and un-peered them. */
const ABOUT_PARIS = { 'liqo.io/remote-cluster-id': 'paris' }
const BY_HAND = JSON.stringify({
  ...{ apiVersion: 'v1', kind: 'List' },
  items: [
    {
      ...{ apiVersion: 'v1', kind: 'Namespace' },
      metadata: {
        name: 'old-paris',
        labels: { ...ABOUT_PARIS, 'liqo.io/tenant-namespace': 'true' },
      },
    },
    {
      ...{ apiVersion: 'core.liqo.io/v1beta1', kind: 'ForeignCluster' },
      metadata: { name: 'paris', labels: ABOUT_PARIS },
      spec: { clusterID: 'paris' },
    },
    {
      ...{ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' },
      metadata: { name: 'virtual-kubelet-leader-election', namespace: 'old-paris' },
    },
  ],
})

/**
 * Each asks for what only one of the others has: paris has cores and GPUs, berlin has memory.
 * ```
 *   rome ──► paris ◄── berlin ◄── rome
 * ```
 */
describe('three clusters that borrow of each other', () => {
  const peers = usePeers({
    clusters: ['rome', 'paris', 'berlin'],
    nodes: {
      paris: [{ cpu: '32', memory: '64Gi', 'nvidia.com/gpu': '4' }],
      berlin: [{ cpu: '8', memory: '256Gi' }],
    },
    agentFlags: () => ['--peering=native', '--peering-linger=0s'],
  })
  const { federation, inCluster, kubectl, liqoIn, until, nodeOf, active, returned } = peers
  const asked = {
    cores: { requester: 'rome', provider: 'paris', size: { cpu: '12', memory: '8Gi' } },
    memory: { requester: 'rome', provider: 'berlin', size: { cpu: '2', memory: '100Gi' } },
    gpu: { requester: 'berlin', provider: 'paris', size: { cpu: '2', memory: '4Gi', gpu: '1' } },
  } as const
  type Name = keyof typeof asked
  let before: Awaited<ReturnType<typeof peers.contents>>

  /** The amounts of all quotas there, by cores. */
  const lentBy = async (id: string) =>
    (await liqoIn(id).liqoQuotas()).map(({ spec }) => spec?.resources.cpu).toSorted()
  const borrowedBy = async (id: string) =>
    (await liqoIn(id).virtualNodes()).map(({ status }) => status?.allocatable.cpu).toSorted()
  const giveBack = async (name: Name) => {
    const { requester } = asked[name]
    await inCluster(requester).remove(name)
    await returned(name, requester)
  }

  beforeAll(async () => {
    await kubectl('berlin', ['apply', '--filename=-'], BY_HAND)
    before = await peers.contents()
  })

  it('1. gives each requester a node of exactly its size, all at the same time', async () => {
    const names = Object.keys(asked) as Name[]
    await Promise.all(
      names.map((name) => inCluster(asked[name].requester).ask(name, { ...asked[name].size })),
    )

    const nodes = await Promise.all(
      names.map(async (name) => {
        const { requester, provider } = asked[name]
        const { targetClusterID, reservationName = '' } = await active(name, requester)
        expect(targetClusterID).toBe(provider)
        return (await nodeOf(reservationName, requester)).status?.allocatable
      }),
    )

    expect(nodes).toEqual([
      { cpu: '12', memory: '8Gi', pods: '110' },
      { cpu: '2', memory: '100Gi', pods: '110' },
      { cpu: '2', memory: '4Gi', pods: '110', 'nvidia.com/gpu': '1' },
    ])
    expect([await borrowedBy('rome'), await borrowedBy('berlin')]).toEqual([['12', '2'], ['2']])
    expect([await lentBy('paris'), await lentBy('berlin')]).toEqual([['12', '2'], ['2']])
  })

  it('2. takes one back and leaves the others, of the same provider and requester', async () => {
    await giveBack('cores')

    await until('paris has one quota', async () => (await lentBy('paris')).length === 1)
    expect([await borrowedBy('rome'), await borrowedBy('berlin')]).toEqual([['2'], ['2']])
    expect([await lentBy('paris'), await lentBy('berlin')]).toEqual([['2'], ['2']])
    for (const name of ['memory', 'gpu'] as const) await active(name, asked[name].requester)
  })

  it('3. leaves nothing behind in any of them, and what was there before stays', async () => {
    await Promise.all([giveBack('memory'), giveBack('gpu')])

    await peers.untilAsBefore(before)
    const kept = ['get', 'namespace/old-paris', 'foreigncluster/paris', '--output=name']
    const names = (await kubectl('berlin', kept)).trim().split('\n')
    expect(names).toEqual(['namespace/old-paris', 'foreigncluster.core.liqo.io/paris'])
    const operator = await federation().broker.anOperator()
    await until('all of it is offered again', async () => {
      const { resources } = await operator.getCluster('paris')
      return resources.available.cpu === '32' || undefined
    })
  })
})
