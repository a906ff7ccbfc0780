// Budget: 90 seconds.
import { describe, expect, it } from 'vitest'
import { useKubeconfigs } from './use-kubeconfigs.ts'
import { usePeers } from './use-peers.ts'

describe('peering by liqoctl, with kubeconfigs of providers', () => {
  const kubeconfigs = useKubeconfigs()
  const peers = usePeers({ agentRights: 'chart-liqoctl', agentFlags: kubeconfigs.flags })
  const { federation, inCluster, liqoIn, until, nodeOf, active, returned } = peers
  const stepOf = (name: string, type: string, status: string) =>
    until(`${name} says ${type}=${status}`, async () => {
      const { conditions = [] } = (await inCluster('rome').request(name))?.status ?? {}
      return conditions.find((one) => one.type === type && one.status === status)
    })

  it('says which file is missing', async () => {
    await inCluster('rome').ask('job', { cpu: '2', memory: '4Gi', gpu: '1', duration: '1h' })

    const said = await stepOf('job', 'PeeringRequested', 'False')

    expect(said).toMatchObject({
      reason: 'KubeconfigMissing',
      message: expect.stringContaining(`put it at ${kubeconfigs.pathOf('paris')}`),
    })
  })

  it('makes a node of exactly what was asked for, once it is there', async () => {
    await kubeconfigs.bring(federation(), 'paris', 'rome')

    await stepOf('job', 'NodeReady', 'True')

    const { reservationName = '' } = await active('job')
    const { status } = await nodeOf(reservationName)
    expect(status?.allocatable).toMatchObject({ cpu: '2', memory: '4Gi', 'nvidia.com/gpu': '1' })
  })

  it('has a second one beside it, and gives the first back alone', async () => {
    await inCluster('rome').ask('more', { cpu: '1', memory: '2Gi', duration: '1h' })
    const { reservationName = '' } = await active('more')
    await nodeOf(reservationName)
    expect(await liqoIn('paris').liqoQuotas()).toHaveLength(2)

    await inCluster('rome').remove('job')
    await returned('job')

    const left = await liqoIn('rome').virtualNodes()
    expect(left.map(({ metadata }) => metadata.name)).toEqual([`res-${reservationName}`])
  })

  it('un-peers with the last one', async () => {
    await inCluster('rome').remove('more')
    await returned('more')

    await peers.untilNothingIsLeft()
    await until('they are not a pair any more', async () => {
      const left = await Promise.all(['rome', 'paris'].map((id) => liqoIn(id).ofPairs()))
      return left.flat().length === 0 || undefined
    })
  })
})
