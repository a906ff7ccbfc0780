import { type KubeClient, systemClock } from '@bourse/kube'
import { eventually } from '@bourse/testkit'
import { aNode, connectAgent } from '@bourse/testkit/control-plane'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import {
  createCapacityWatcher,
  DEFAULT_NODE_RULES,
  type PodObject,
} from '../../../../capacity/index.ts'
import { POD } from '../../../../kubernetes/kinds.ts'
import { createBorrowersOf } from '../../../../lending/borrowers-of.ts'
import type { HeldReservation } from '../../../port/peering.ts'
import { sliceUserOf } from '../../liqo/resource-slice.ts'
import { createPlaceholders, type Placeholders } from './placeholders.ts'

const controlPlane = useControlPlane({ withControllers: true, withScheduler: true, withKwok: true })
const WITHIN_MS = 60_000
/** The policy of the chart takes no other. */
const image = 'registry.k8s.io/pause:3.10'
const GIB = 1024n ** 3n
const RESERVATION: HeldReservation = {
  id: 'rsv-1',
  requester: 'rome',
  resources: { cpu: 2_000n, memory: 4n * GIB, 'nvidia.com/gpu': 1n },
}

let admin: KubeClient
let agent: KubeClient
let held: HeldReservation[]
let placeholders: Placeholders
let capacity: ReturnType<typeof createCapacityWatcher>

beforeAll(async () => {
  const { kubectl } = controlPlane()
  ;({ admin, agent } = await connectAgent(controlPlane(), 'agent-placeholders'))
  const node = aNode('gpus', { 'nvidia.com/gpu': '2' })
  await kubectl(['apply', '--filename=-'], JSON.stringify(node))
})
afterAll(async () => {
  await Promise.all([admin?.close(), agent?.close()])
})

beforeEach(async () => {
  held = [RESERVATION]
  const settings = {
    namespace: 'default',
    priorityClass: 'bourse-placeholder',
    image,
    toleratedTaints: [],
  }
  placeholders = createPlaceholders({
    client: agent,
    clock: systemClock,
    settings,
    held: () => held,
    userOf: ({ id, requester }) => sliceUserOf(`res-${id}`, requester),
    onTrouble: (error, key) => console.warn(key, error.message),
  })
  capacity = createCapacityWatcher({
    client: agent,
    rules: DEFAULT_NODE_RULES,
    borrowersOf: createBorrowersOf(() => held),
    placeholders: 'default',
    onTrouble: (error) => console.warn(error.message),
  })
  placeholders.start()
  await capacity.start()
  placeholders.look('rsv-1')
  await holding({ cpu: '2', memory: '4Gi', 'nvidia.com/gpu': '1' })
})
afterEach(async () => {
  held = []
  placeholders.look('rsv-1')
  await Promise.all([placeholders.stop(), capacity.stop()])
  const { kubectl } = controlPlane()
  const all = ['pods', '--all', '--namespace=default']
  await kubectl(['delete', ...all, '--force', '--wait=false'])
  for (const { metadata } of await pods())
    await admin.mergePatch(POD, metadata, { metadata: { finalizers: null } })
  await kubectl(['delete', ...all])
})

const pods = async () => (await admin.list<PodObject>(POD, { namespace: 'default' })).items
const placeholderPods = async () =>
  (await pods()).filter(({ metadata }) => metadata.labels?.['bourse.dev/placeholder-for'])

const holding = (requests: Record<string, string>) =>
  eventually(
    `the placeholder keeps ${JSON.stringify(requests)}`,
    async () => {
      const [first, ...more] = await placeholderPods()
      const kept = first?.spec?.containers?.[0]?.resources?.requests
      const isPlaced = first?.spec?.nodeName !== undefined && more.length === 0
      return isPlaced && JSON.stringify(kept) === JSON.stringify(requests)
    },
    WITHIN_MS,
  )

type More = { labels?: Record<string, string>; finalizers?: string[] }

async function create(name: string, more: More = {}) {
  const requests = { cpu: '500m', 'nvidia.com/gpu': '1' }
  const resources = { requests, limits: requests }
  await admin.create(POD, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', ...more },
    spec: { containers: [{ name: 'main', image: 'example.org/idle', resources }] },
  })
}

const offloaded = {
  labels: {
    'liqo.io/managed-by': 'shadowpod',
    'liqo.io/creator-user': sliceUserOf('res-rsv-1', 'rome'),
  },
  // A pod ends slowly: kwok alone would take it away at once.
  finalizers: ['example.org/slow'],
}

const placed = (name: string) =>
  eventually(
    `${name} has a node`,
    async () => (await admin.get<PodObject>(POD, name, 'default')).spec?.nodeName === 'gpus',
    WITHIN_MS,
  )
const refused = (name: string) =>
  eventually(
    `the scheduler has no place for ${name}`,
    async () => {
      const { spec, status } = await admin.get<PodObject>(POD, name, 'default')
      const said = status?.conditions?.find(({ type }) => type === 'PodScheduled')
      return spec?.nodeName === undefined && said?.reason === 'Unschedulable'
    },
    WITHIN_MS,
  )

it('keeps a promised GPU from local pods, and gives it to the pod that it is for', async () => {
  await create('local-1')
  await placed('local-1')
  await create('local-2')
  await refused('local-2')
  await expect
    .poll(() => capacity.current()?.used.get('rsv-1'))
    .toMatchObject({ 'nvidia.com/gpu': 1n })

  await create('offloaded', offloaded)

  await placed('offloaded')
  await holding({ cpu: '1500m', memory: '4Gi' })
  await refused('local-2')
  // Counted once: what the pod takes and what is still kept is what was reserved.
  await eventually('all of it is counted as used', async () => {
    const { cpu, memory, 'nvidia.com/gpu': gpu } = capacity.current()?.used.get('rsv-1') ?? {}
    return cpu === 2_000n && memory === 4n * GIB && gpu === 1n
  })
})

it('puts another in the place of a placeholder that has ended', async () => {
  const [first] = await placeholderPods()
  const ended = { status: { phase: 'Failed', reason: 'Evicted' } }

  await admin.mergePatch(POD, first?.metadata ?? { name: '' }, ended, { subresource: 'status' })

  await eventually(
    'there is another one',
    async () => {
      const [next, ...more] = await placeholderPods()
      const isOther = next !== undefined && next.metadata.uid !== first?.metadata.uid
      return isOther && more.length === 0 && next.spec?.nodeName === 'gpus'
    },
    WITHIN_MS,
  )
})

it('keeps it again when that pod goes, and lets it go when the reservation is over', async () => {
  await create('local-1')
  await placed('local-1')
  await create('offloaded', offloaded)
  await placed('offloaded')
  await create('local-2')
  await refused('local-2')
  await holding({ cpu: '1500m', memory: '4Gi' })

  await admin.delete(POD, { name: 'offloaded', namespace: 'default' })
  await eventually('a placeholder more is sure of that place', async () => {
    const all = await placeholderPods()
    const isSure = ({ spec, status }: PodObject) => spec?.nodeName ?? status?.nominatedNodeName
    return all.length > 1 && all.every(isSure)
  })
  const patch = { metadata: { finalizers: null } }
  await admin.mergePatch(POD, { name: 'offloaded', namespace: 'default' }, patch)

  await eventually(
    'all placeholders have their place',
    async () => (await placeholderPods()).every(({ spec }) => spec?.nodeName === 'gpus'),
    WITHIN_MS,
  )
  await refused('local-2')

  held = []
  await eventually('they are gone', async () => placeholders.areGone('rsv-1'), WITHIN_MS)
  await placed('local-2')
})
