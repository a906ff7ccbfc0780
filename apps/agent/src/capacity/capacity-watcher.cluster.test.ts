import { createKubeClient, type KubeClient, loadConnection } from '@bourse/kube'
import { aNode, aPod } from '@bourse/testkit/control-plane'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { NODE, POD } from '../kubernetes/kinds.ts'
import { createCapacityWatcher } from './capacity-watcher.ts'
import { DEFAULT_NODE_RULES } from './node-rules.ts'

const CROWD = 1_000
const AT_ONCE = 16
const FLAPS = 30
const WITHIN = { timeout: 120_000, interval: 100 }

const controlPlane = useControlPlane()
let client: KubeClient
beforeAll(async () => {
  client = createKubeClient(await loadConnection({ kubeconfig: controlPlane().adminKubeconfig }))
})
afterAll(() => client.close())

async function watchCapacity() {
  const watcher = createCapacityWatcher({
    client,
    rules: DEFAULT_NODE_RULES,
    borrowersOf: () => [],
    onTrouble: (error) => console.warn(error.message),
  })
  onTestFinished(() => watcher.stop())
  await watcher.start()
  return watcher
}

const isReady = (status: 'True' | 'False') => ({
  status: { conditions: [{ type: 'Ready', status }] },
})
const setReady = (name: string, status: 'True' | 'False') =>
  client.mergePatch(NODE, { name }, isReady(status), { subresource: 'status' })

/** There is no kubelet that would end a pod, so nothing is waited for. */
const removePod = (name: string) =>
  client.delete(POD, { name, namespace: 'default' }, { gracePeriodSeconds: 0 })

async function inTurns(names: readonly string[], work: (name: string) => Promise<unknown>) {
  const rest = names.values()
  const worker = async () => {
    for (const name of rest) await work(name)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

it('is right again after a crowd of pods came and went while a node flapped', async () => {
  await client.create(NODE, aNode('steady', { pods: '2000' }))
  await client.create(NODE, aNode('flaps'))
  await setReady('steady', 'True')
  await setReady('flaps', 'True')
  await client.create(POD, aPod('stays', { cpu: '2' }, { nodeName: 'steady' }))
  await client.create(POD, aPod('on-flaps', { cpu: '3' }, { nodeName: 'flaps' }))
  const watcher = await watchCapacity()
  const before = watcher.current()
  const names = Array.from({ length: CROWD }, (_, at) => `crowd-${at}`)

  const flapping = (async () => {
    for (let flap = 0; flap < FLAPS; flap++) await setReady('flaps', flap % 2 ? 'True' : 'False')
  })()
  await inTurns(names, (name) =>
    client.create(POD, aPod(name, { cpu: '5m' }, { nodeName: 'steady' })),
  )
  await flapping
  await expect
    .poll(() => watcher.current(), WITHIN)
    .toMatchObject({ nodes: 2, allocated: { cpu: 10_000n, pods: 1_002n } }) // 2 + 3 + 1,000 · 0.005
  await inTurns(names, removePod)

  await expect.poll(() => watcher.current(), WITHIN).toEqual(before)
  expect(before).toMatchObject({ nodes: 2, allocated: { cpu: 5_000n, pods: 2n } })
})

it('drops a pod that has ended, and follows one to the node that it is bound to', async () => {
  const watcher = await watchCapacity()
  const allocated = () => watcher.current()?.allocated.cpu
  await expect.poll(allocated, WITHIN).toBe(5_000n)

  await client.create(POD, aPod('ends', { cpu: '1' }))
  const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'ends' } }
  const target = { apiVersion: 'v1', kind: 'Node', name: 'steady' }
  await client.raw('POST', '/api/v1/namespaces/default/pods/ends/binding', { ...binding, target })
  await expect.poll(allocated, WITHIN).toBe(6_000n)
  const over = { status: { phase: 'Succeeded' } }
  const ends = { name: 'ends', namespace: 'default' }
  await client.mergePatch(POD, ends, over, { subresource: 'status' })

  await expect.poll(allocated, WITHIN).toBe(5_000n)
})
