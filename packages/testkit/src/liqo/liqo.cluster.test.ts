// Budget: 60 seconds.
import { describe, expect, it } from 'vitest'
import { eventually } from '../time/eventually.ts'
import { useLiqoClusters } from './use-liqo-clusters.ts'

type Node = {
  status: {
    allocatable: Record<string, string>
    conditions: { type: string; status: string }[]
  }
}

/** Kubernetes has a kind of that name, too. */
const SLICES = 'resourceslices.authentication.liqo.io'
const WITHIN_MS = 120_000

describe('Liqo on two control planes', () => {
  const cluster = useLiqoClusters([
    { clusterId: 'rome' },
    { clusterId: 'paris', node: { cpu: '16', 'nvidia.com/gpu': '4' } },
  ])
  const kubectl = (id: string, ...args: string[]) => cluster(id).controlPlane.kubectl(args)
  const remote = (id: string) => `--remote-kubeconfig=${cluster(id).controlPlane.adminKubeconfig}`

  const nodeOf = async (name: string): Promise<Node | undefined> => {
    const found = await kubectl('rome', 'get', 'node', name, '--output=json', '--ignore-not-found')
    return found ? JSON.parse(found) : undefined
  }
  const isReady = ({ status }: Node) =>
    status.conditions.some(({ type, status }) => type === 'Ready' && status === 'True')

  it('peers them', async () => {
    await cluster('rome').liqo.liqoctl(['authenticate', remote('paris')])

    const identity = await kubectl('rome', 'get', 'identities', '-A', '--output=name')
    expect(identity).toContain('controlplane-paris')
  })

  it('makes a node of exactly the slice, with its quota at the provider', async () => {
    await cluster('rome').liqo.liqoctl([
      ...['create', 'resourceslice', 'res-1', '--remote-cluster-id=paris'],
      ...['--cpu=2', '--memory=4Gi', '--pods=20', '--resource=nvidia.com/gpu=1'],
    ])

    const node = await eventually(
      'res-1 is a node that is ready',
      async () => {
        const found = await nodeOf('res-1')
        return found && isReady(found) ? found : undefined
      },
      WITHIN_MS,
    )

    const amounts = {
      cpu: '2',
      memory: '4Gi',
      pods: '20',
      'nvidia.com/gpu': '1',
      'ephemeral-storage': '20Gi',
    }
    expect(node.status.allocatable).toEqual(amounts)
    const liqoQuotas = JSON.parse(await kubectl('paris', 'get', 'quotas', '-A', '--output=json'))
    expect(liqoQuotas.items.map((one: { spec: object }) => one.spec)).toMatchObject([
      { resources: amounts, limitsEnforcement: 'Hard' },
    ])
    await expect.poll(() => cluster('rome').liqo.kubelets()).toEqual(['res-1'])
  })

  it('removes the node and the quota with the slice', async () => {
    await kubectl('rome', 'delete', SLICES, 'res-1', '--namespace=liqo-tenant-paris')

    const isGone = async () => ((await nodeOf('res-1')) ? undefined : true)
    await eventually('res-1 is no node any more', isGone, WITHIN_MS)
    const isFree = async () => (await kubectl('paris', 'get', 'quotas', '-A')) === ''
    await eventually('paris has no quota', isFree, WITHIN_MS)
    await expect.poll(() => cluster('rome').liqo.kubelets()).toEqual([])
  })
})
