// Budget: 120 seconds.
import { isTrue } from '@bourse/kube'
import { describe, expect, it } from 'vitest'
import { usePeers } from './use-peers.ts'
import { deployment } from './workload.ts'

/** rome asks for 2 CPU, 4Gi and a GPU; paris has 16, 64Gi and 4. */
describe('from a request to a borrowed node, and back', () => {
  const peers = usePeers()
  const { federation, inCluster, kubectl, liqoIn, until, nodeOf, active, returned } = peers
  const inNamespace = '--namespace=shop'
  let first = ''
  let second = ''

  const paris = async () => (await federation().broker.anOperator()).getCluster('paris')

  it('1. becomes a node of exactly what was asked for', async () => {
    await inCluster('rome').ask('job', { cpu: '2', memory: '4Gi', gpu: '1', duration: '1h' })

    first = (await active('job')).reservationName ?? ''

    const { status } = await nodeOf(first)
    expect(status?.allocatable).toMatchObject({ cpu: '2', memory: '4Gi', 'nvidia.com/gpu': '1' })
    expect(await liqoIn('rome').virtualNodes()).toHaveLength(1)
  })

  it('2. says step by step how it got there', async () => {
    const steps = ['PeeringRequested', 'TenantReady', 'IdentityReady', 'SliceAccepted', 'NodeReady']

    // The broker's word that it is active may come to the request before the last of these.
    await inCluster('rome').until('job', 'every step is done', ({ conditions }) =>
      steps.every((type) => isTrue(conditions, type)),
    )
  })

  it('3. is bound at the provider by a quota of the same size', async () => {
    const quotas = await liqoIn('paris').liqoQuotas()

    expect(quotas.map(({ spec }) => spec?.resources)).toMatchObject([
      { cpu: '2', memory: '4Gi', 'nvidia.com/gpu': '1' },
    ])
  })

  it('4. runs the pods of an offloaded namespace on the nodes of paris', async () => {
    await peers.offloaded('shop')
    const amounts = { cpu: '500m', memory: '512Mi' }
    const web = deployment('web', { namespace: 'shop', replicas: 2, amounts })
    await kubectl('rome', ['apply', '--filename=-'], web)

    await kubectl('rome', [
      ...['wait', '--for=condition=Available', 'deployment/web', inNamespace, '--timeout=60s'],
    ])

    const guests = await liqoIn('paris').guests()
    expect(guests.map(({ spec, status }) => [spec?.nodeName, status?.phase])).toEqual([
      ['paris-1', 'Running'],
      ['paris-1', 'Running'],
    ])
  })

  it('5. counts once in paris, whether it is used or not', async () => {
    const used = await until('paris tells that a part of it is used', async () => {
      const { resources } = await paris()
      return resources.allocated.cpu === '1' ? resources : undefined
    })

    expect(used).toMatchObject({
      allocatable: { cpu: '16', 'nvidia.com/gpu': '4' },
      available: { cpu: '14', memory: '60Gi', 'nvidia.com/gpu': '3' },
    })
  })

  it('6. refuses at the provider what goes beyond it, even past the scheduler', async () => {
    const { metadata } = await nodeOf(first)
    const amounts = { cpu: '4', memory: '1Gi' }
    const pod = JSON.stringify({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'greedy', namespace: 'shop' },
      spec: {
        nodeName: metadata.name,
        tolerations: [{ operator: 'Exists' }],
        containers: [
          { name: 'main', image: 'idle', resources: { requests: amounts, limits: amounts } },
        ],
      },
    })

    await kubectl('rome', ['apply', '--filename=-'], pod)

    const refused = await until('paris refuses it', async () => {
      const events = await kubectl('rome', ['get', 'events', inNamespace, '--output=json'])
      const all: { message: string }[] = JSON.parse(events).items
      return all.find(({ message }) => message.includes('quota'))?.message
    })
    expect(refused).toContain('peering cpu quota usage exceeded - free 1 / requested 4')
    expect(await liqoIn('paris').guests()).toHaveLength(2)
    await kubectl('rome', ['delete', 'pod', 'greedy', inNamespace, '--force'])
  })

  it('7. has a second one beside it', async () => {
    await inCluster('rome').ask('more', { cpu: '1', memory: '2Gi', duration: '1h' })

    second = (await active('more')).reservationName ?? ''

    const { status } = await nodeOf(second)
    expect(status?.allocatable).toMatchObject({ cpu: '1', memory: '2Gi' })
    expect(await liqoIn('rome').virtualNodes()).toHaveLength(2)
    expect(await liqoIn('paris').liqoQuotas()).toHaveLength(2)
  })

  it('8. is given back alone: the second stays', async () => {
    await inCluster('rome').remove('job')
    await returned('job')

    await until('paris has one quota', async () =>
      (await liqoIn('paris').liqoQuotas()).length === 1 ? true : undefined,
    )
    const left = await liqoIn('rome').virtualNodes()
    expect(left.map(({ metadata }) => metadata.name.includes(second))).toEqual([true])
    expect((await inCluster('rome').request('more'))?.status?.phase).toBe('Active')
  })

  it('9. is taken back when its time is over', async () => {
    await kubectl('rome', ['delete', 'deployment', 'web', inNamespace])
    await inCluster('rome').edit('more', { duration: '5s' })

    await inCluster('rome').phase('more', 'Released')

    await peers.untilNothingIsLeft()
    expect(await liqoIn('rome').virtualNodes()).toEqual([])
    const isWhole = async () =>
      (await paris()).resources.available.cpu === '16' ? true : undefined
    await until('paris offers all of it again', isWhole)
  })
})
