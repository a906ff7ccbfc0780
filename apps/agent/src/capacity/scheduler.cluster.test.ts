import { setTimeout as sleep } from 'node:timers/promises'
import { amountOf, formatAmount, type Resources, subtract } from '@bourse/domain/quantity'
import { createKubeClient, type KubeClient, loadConnection } from '@bourse/kube'
import { createChance, eventually } from '@bourse/testkit'
import { aNode } from '@bourse/testkit/control-plane'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { measure } from '../../fixtures/capacity/measure.ts'
import { MIG, RUNTIME, randomPods } from '../../fixtures/capacity/random-pods.ts'
import { NODE, POD } from '../kubernetes/kinds.ts'
import { createCapacityWatcher } from './capacity-watcher.ts'
import { readNode } from './node-facts.ts'
import { DEFAULT_NODE_RULES } from './node-rules.ts'
import type { NodeObject, PodObject } from './objects.ts'
import { createPodReader } from './pod-share.ts'

const SEED = Number(process.env.SEED ?? 20_261_116)
const PODS = 90
/** Two cores shared with a whole control plane: the scheduler may be minutes behind. */
const WITHIN_MS = 240_000

const NODES = [
  aNode('plain', { 'ephemeral-storage': '100G' }),
  aNode('large', { cpu: '31850m', memory: '120Gi', 'nvidia.com/gpu': '8', 'amd.com/gpu': '2' }),
  aNode('gpus', { cpu: '16', 'nvidia.com/gpu': '4', 'ephemeral-storage': '20G' }),
  aNode('few-slots', { pods: '6' }),
  aNode('odd', { cpu: '3999m', memory: '8025424Ki', 'amd.com/gpu': '1' }),
  aNode('tiny', { cpu: '700m', memory: '900M', pods: '4' }),
  aNode('sliced', { [MIG]: '7' }),
]
/** The scheduler places nothing there that does not ask for it, and nothing is free by our count. */
const LEFT_OUT = [
  aNode('tainted', {}, { taints: [{ key: 'example.org/ours', effect: 'NoSchedule' }] }),
  aNode('cordoned', {}, { unschedulable: true }),
  // As Liqo makes them.
  aNode(
    'virtual',
    {},
    {
      labels: { 'liqo.io/type': 'virtual-node' },
      taints: [{ key: 'virtual-node.liqo.io/not-allowed', value: 'true', effect: 'NoExecute' }],
    },
  ),
]

const controlPlane = useControlPlane({ withScheduler: true, withKwok: true })
let client: KubeClient
beforeAll(async () => {
  client = createKubeClient(await loadConnection({ kubeconfig: controlPlane().adminKubeconfig }))
  const { kubectl } = controlPlane()
  const items = [RUNTIME, ...NODES, ...LEFT_OUT]
  const list = { apiVersion: 'v1', kind: 'List', items }
  await kubectl(['apply', '--filename=-'], JSON.stringify(list))
})
afterAll(() => client.close())

const isBound = ({ spec }: PodObject) => spec?.nodeName !== undefined
const isRefused = ({ status }: PodObject) =>
  status?.conditions?.some(
    ({ type, reason }) => type === 'PodScheduled' && reason === 'Unschedulable',
  ) ?? false

const podsNow = async () => (await client.list<PodObject>(POD, { namespace: 'default' })).items

const isProbe = ({ metadata }: PodObject) => metadata.labels?.probe !== undefined

/** Every pod has its node, or the scheduler's word that there is none; so many probes have one. */
const settled = (what: string, probesBound = 0) =>
  eventually(
    what,
    async () => {
      const pods = await podsNow()
      const isJudged = pods.every((pod) => isBound(pod) || isRefused(pod))
      if (isJudged && pods.filter(isProbe).filter(isBound).length >= probesBound) return pods
      await sleep(200)
    },
    WITHIN_MS,
  )
/** What was removed may take room a moment longer: the scheduler refuses then, and tries again. */
const judgedProbes = async (bound?: number) =>
  (await settled('Every probe is judged', bound)).filter(isProbe)

async function removed(pods: readonly PodObject[]): Promise<void> {
  for (const { metadata } of pods) await client.delete(POD, metadata, { gracePeriodSeconds: 0 })
}

/** What is free on each node, by our own rules. */
async function freeByNode(): Promise<ReadonlyMap<string, Resources>> {
  const nodes = (await client.list<NodeObject>(NODE)).items.map((node) =>
    readNode(node, DEFAULT_NODE_RULES),
  )
  const pods = (await podsNow()).map(createPodReader()).filter((pod) => pod !== undefined)
  return new Map(
    nodes.map((node) => {
      const { allocatable, allocated } = measure({ nodes: [node], pods }, () => [])
      return [node.name, subtract(allocatable, allocated)]
    }),
  )
}

function aProbe(name: string, node: string, amounts: Resources) {
  const asked = Object.keys(amounts).filter((one) => one !== 'pods' && amountOf(amounts, one) > 0n)
  const requests = Object.fromEntries(
    asked.map((one) => [one, formatAmount(one, amountOf(amounts, one))]),
  )
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `${node}-${name}`, namespace: 'default', labels: { probe: name } },
    spec: {
      nodeSelector: { 'kubernetes.io/hostname': node },
      tolerations: [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists' }],
      containers: [
        { name: 'main', image: 'example.org/idle', resources: { requests, limits: requests } },
      ],
    },
  }
}

/** One probe a node and resource, each with a unit more than is free of that resource. */
function oneUnitMore(free: ReadonlyMap<string, Resources>) {
  const names = ['cpu', 'memory', 'nvidia.com/gpu', 'amd.com/gpu', MIG, 'ephemeral-storage']
  return [...free].flatMap(([node, amounts]) =>
    names.map((name) => {
      const more = { ...amounts, [name]: amountOf(amounts, name) + 1n }
      return aProbe(`more-${name.replace(/\W/g, '-')}`, node, more)
    }),
  )
}

const report = (pods: readonly PodObject[]) =>
  pods.map(({ metadata, spec }) => `${metadata.name} on ${spec?.nodeName}`)

describe(`the count beside the real scheduler, with pods of seed ${SEED}`, () => {
  let free: ReadonlyMap<string, Resources>

  beforeAll(async () => {
    for (const pod of randomPods(createChance(SEED), PODS)) await client.create(POD, pod)
    const pods = await settled('The scheduler has looked at every random pod')
    await removed(pods.filter((pod) => !isBound(pod)))
    await resizeSome(pods.filter(isBound))
    free = await freeByNode()
    console.info(`${pods.filter(isBound).length} of ${PODS} pods found a node; free:`, free)
  }, WITHIN_MS * 2)

  it('is the same by watch as by list', async () => {
    const watcher = createCapacityWatcher({
      client,
      rules: DEFAULT_NODE_RULES,
      borrowersOf: () => [],
      onTrouble: (error) => console.warn(error.message),
    })
    onTestFinished(() => watcher.stop())

    await watcher.start()

    const { allocatable = {}, allocated = {}, nodes } = watcher.current() ?? {}
    const rest = subtract(allocatable, allocated)
    for (const name in rest) {
      const sum = [...free.values()].reduce((total, one) => total + amountOf(one, name), 0n)
      expect({ [name]: rest[name] }).toEqual({ [name]: sum })
    }
    expect(nodes).toBe(NODES.length)
  })

  it('leaves no room for one unit more: a thousandth of a core, a byte, a GPU', async () => {
    for (const probe of oneUnitMore(free)) await client.create(POD, probe)

    const probes = await judgedProbes()
    await removed(probes)

    expect(probes).toHaveLength((NODES.length + LEFT_OUT.length) * 6)
    expect(report(probes.filter(isBound))).toEqual([])
  })

  it('leaves room for exactly what is free, on every node that has a slot', async () => {
    const withSlot = [...free].filter(([, amounts]) => amountOf(amounts, 'pods') > 0n)
    for (const [node, amounts] of free) await client.create(POD, aProbe('exact', node, amounts))

    const probes = await judgedProbes(withSlot.length)
    await removed(probes)

    expect(report(probes.filter(isBound)).sort()).toEqual(
      withSlot.map(([node]) => `${node}-exact on ${node}`).sort(),
    )
  })

  it('leaves as many slots for pods as it says, and not one more', async () => {
    const scarce = [...free].filter(([node]) => node === 'few-slots' || node === 'tiny')
    const slots = scarce.reduce((sum, [, amounts]) => sum + Number(amountOf(amounts, 'pods')), 0)
    for (const [node, amounts] of scarce)
      for (let at = 0; at <= amountOf(amounts, 'pods'); at++)
        await client.create(POD, aProbe(`slot-${at}`, node, {}))

    const probes = await judgedProbes(slots)
    await removed(probes)

    for (const [node, amounts] of scarce) {
      const placed = probes.filter((pod) => pod.spec?.nodeName === node)
      expect({ node, placed: BigInt(placed.length) }).toEqual({
        node,
        placed: amountOf(amounts, 'pods'),
      })
    }
  })
})

/**
 * There is no kubelet that would resize a pod, so its part is played: some containers run with
 * other amounts than are asked for, and some resizes are called infeasible.
 */
async function resizeSome(pods: readonly PodObject[]): Promise<void> {
  const running = pods.filter(({ spec }) => spec?.containers?.[0]?.resources?.requests?.cpu)
  for (const [at, { metadata, spec }] of running.slice(0, 6).entries()) {
    const [first] = spec?.containers ?? []
    const before = await eventually(
      `${metadata.name} runs`,
      async () => {
        const pod = await client.get<PodObject>(POD, metadata.name, metadata.namespace)
        return pod.status?.phase === 'Running' ? pod : undefined
      },
      WITHIN_MS,
    )
    const statuses = before.status?.containerStatuses?.map((status) =>
      status.name !== first?.name
        ? status
        : {
            ...status,
            resources: { requests: { ...first.resources?.requests, cpu: at < 3 ? '5m' : '1300m' } },
            allocatedResources: { ...first.resources?.requests, cpu: `${at * 7}m` },
          },
    )
    const infeasible = { type: 'PodResizePending', status: 'True', reason: 'Infeasible' }
    const conditions = [...(before.status?.conditions ?? []), ...(at % 2 ? [infeasible] : [])]
    const patch = { status: { containerStatuses: statuses, conditions } }
    await client.mergePatch(POD, metadata, patch, { subresource: 'status' })
  }
}
