// Budget: 120 seconds.
import type { KubeObject } from '@bourse/kube'
import { beforeAll, describe, expect, it } from 'vitest'
import { usePeers } from './use-peers.ts'
import { deployment, oneIsUp } from './workload.ts'

type Pod = KubeObject<{ nodeName?: string }, { phase: string }>

const POD = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true }
const IN_SHOP = '--namespace=shop'
const NOTES = '.metadata.annotations.bourse\\.dev/reservations'
const DRAIN_MS = 10_000
const amounts = { cpu: '500m', memory: '512Mi' }

describe('a namespace that reservations name', () => {
  const { inCluster, kubectl, liqoIn, until, nodeOf, untilNothingIsLeft } = usePeers({
    agentFlags: () => ['--peering=native', `--drain-timeout=${DRAIN_MS}ms`],
  })
  let first = ''
  let second = ''

  const borrow = async (name: string, strategy = 'Remote') => {
    const offload = { namespaces: ['shop'], strategy }
    await inCluster('rome').ask(name, { cpu: '2', memory: '4Gi', duration: '1h', offload })
    await inCluster('rome').until(name, 'its namespace is offloaded', ({ conditions = [] }) =>
      conditions.some(({ type, status }) => type === 'NamespaceOffloaded' && status === 'True'),
    )
    return (await inCluster('rome').phase(name, 'Active')).reservationName ?? ''
  }
  const giveBack = async (name: string) => {
    await inCluster('rome').remove(name)
    const isGone = async () => ((await inCluster('rome').request(name)) ? undefined : true)
    await until(`${name} is gone`, isGone)
  }
  const apply = (manifest: string) => kubectl('rome', ['apply', '--filename=-'], manifest)
  const podsOf = async (app: string) => {
    const asked = { namespace: 'shop', labelSelector: `app=${app}` }
    const { items } = await inCluster('rome').client.list<Pod>(POD, asked)
    return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
  }
  /** As many of its pods run there, and it has no others. */
  const untilRunningOn = (node: string, app: string, count: number) =>
    until(`${count} pods of ${app} run on ${node}`, async () => {
      const pods = await podsOf(app)
      const isThere = ({ spec, status }: Pod) =>
        spec?.nodeName === node && status?.phase === 'Running'
      return (pods.length === count && pods.every(isThere)) || undefined
    })
  const offloading = (path: string) =>
    kubectl('rome', [
      ...['get', 'namespaceoffloadings', IN_SHOP, `--output=jsonpath={.items[*]${path}}`],
    ])
  /** By its uid: another one of the same name would not do. */
  const remoteNamespace = () =>
    kubectl('paris', [
      ...['get', 'namespace', 'shop-rome', '--ignore-not-found'],
      '--output=jsonpath={.metadata.uid}',
    ])
  const untilUnoffloaded = () =>
    until('it is nowhere else any more', async () => {
      const left = `${await remoteNamespace()}${await offloading('.metadata.name')}`
      return left === '' || undefined
    })

  beforeAll(async () => {
    await kubectl('rome', ['create', 'namespace', 'shop'])
  })

  it('1. is offloaded as soon as there is a node, and says how to pin pods to it', async () => {
    first = await borrow('job')

    const [instruction] = await inCluster('rome').borrowed()
    const step = instruction?.status?.conditions?.find(({ type }) => type === 'NamespaceOffloaded')
    expect(step?.message).toBe(
      `Pods of shop can run on paris; nodeSelector {bourse.dev/reservation: ${first}} keeps a pod to this node`,
    )
    expect(instruction?.status?.delivered).toBe(true)
    expect(await remoteNamespace()).not.toBe('')
  })

  it('2. runs its pods on the nodes of paris', async () => {
    const { metadata } = await nodeOf(first)

    await apply(deployment('web', { namespace: 'shop', replicas: 2, amounts }))

    await untilRunningOn(metadata.name, 'web', 2)
    const guests = await liqoIn('paris').guests()
    expect(guests.map(({ spec, status }) => [spec?.nodeName, status?.phase])).toEqual([
      ['paris-1', 'Running'],
      ['paris-1', 'Running'],
    ])
  })

  it('3. is shared with a second reservation, and not offloaded twice', async () => {
    second = await borrow('more')

    const notes = await offloading(NOTES)
    const both = [`${first}=paris=Remote`, `${second}=paris=Remote`]
    expect(notes.split(' ').sort()).toEqual(both.sort())
    const isOffloaded = async () => (await offloading('.status.offloadingPhase')) === 'Ready'
    await until('Liqo has done what changed', isOffloaded)
  })

  it('4. keeps its pods when the first ends: they move to the second', async () => {
    const before = await remoteNamespace()

    await giveBack('job')

    const { metadata } = await nodeOf(second)
    await untilRunningOn(metadata.name, 'web', 2)
    expect(await remoteNamespace()).toBe(before)
    expect(await offloading(NOTES)).toBe(`${second}=paris=Remote`)
  })

  it('5. is unoffloaded with the last one, and stays in rome as it is', async () => {
    await giveBack('more')

    await untilUnoffloaded()
    await untilNothingIsLeft()
    const deployed = await kubectl('rome', ['get', 'deployment', 'web', IN_SHOP, '--output=name'])
    expect(deployed).toContain('deployment.apps/web')
    const nodes = async () => (await podsOf('web')).map(({ spec }) => spec?.nodeName)
    await expect.poll(nodes).toEqual([undefined, undefined])
  })

  it('6. sends its pods home as their budgets let it, and waits for none for ever', async () => {
    await kubectl('rome', ['delete', 'deployment', 'web', IN_SHOP])
    await kubectl('rome', ['cordon', 'rome-1'])
    const third = await borrow('again', 'LocalAndRemote')
    const { metadata } = await nodeOf(third)
    const some = { namespace: 'shop', amounts }
    const nodeSelector = { 'bourse.dev/reservation': third }
    await apply(deployment('mobile', { ...some, replicas: 2 }))
    await apply(deployment('pinned', { ...some, replicas: 1, nodeSelector }))
    for (const name of ['mobile', 'pinned']) await apply(oneIsUp(name, 'shop'))
    await untilRunningOn(metadata.name, 'mobile', 2)
    await untilRunningOn(metadata.name, 'pinned', 1)
    await kubectl('rome', ['uncordon', 'rome-1'])

    const [pinned] = await podsOf('pinned')
    const given = giveBack('again')
    const drainedSince = await until('its node is drained', async () => {
      const nodes = await liqoIn('rome').virtualNodes()
      return nodes[0]?.metadata.annotations?.['bourse.dev/draining-since']
    })
    // Its budget lets this one stay until the deadline.
    await until('the pinned pod goes', async () => {
      const pods = await podsOf('pinned')
      return pods.every(({ metadata }) => metadata.uid !== pinned?.metadata.uid) || undefined
    })
    expect(Date.now() - Date.parse(drainedSince)).toBeGreaterThanOrEqual(DRAIN_MS)
    await given
    await untilUnoffloaded()
    await untilNothingIsLeft()
    await untilRunningOn('rome-1', 'mobile', 2)
  })
})
