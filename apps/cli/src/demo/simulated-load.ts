import { sliceName, sliceUserOf } from '@bourse/agent'
import type { Reservation } from '@bourse/contract'
import { parseResources, type Resources } from '@bourse/domain/quantity'
import type { Kind, KubeObject } from '@bourse/kube'
import type { Chance } from './chance.ts'
import type { City, NodePool } from './cities.ts'
import type { SimulatedApi } from './simulated-api.ts'

const GI = 2 ** 30
/** What the kubelet and the system keep for themselves. */
const SYSTEM_PART = 0.04
/** Pods that fit on a node: each takes as much of everything as the others. */
const SLOTS = 8
/** Pods of a reservation in use take this much more of it with every step, up to most of it. */
const RAMP = 0.25
const RAMP_MAX = 0.85

const NODE = core('Node', false)
const POD = core('Pod', true)

type SimulatedNode = Readonly<{ name: string; pool: NodePool }>
type Slot = Readonly<{ name: string; node: SimulatedNode }>
type Hosted = { requester: string; reserved: Resources; level: number }

/** What runs in a city: its own pods, whose number wanders, and those it hosts for others. */
export function createSimulatedLoad(city: City, chance: Chance, api: SimulatedApi) {
  const nodes = nodesOf(city)
  const slots = nodes.flatMap((node) =>
    Array.from({ length: SLOTS }, (_, at) => ({ name: `${node.name}-${at}`, node })),
  )
  const own = new Set<Slot>()
  const hosted = new Map<string, Hosted>()
  let level = city.load.usual
  for (const node of nodes) api.put(NODE, nodeObject(node))
  fill()

  return { step, host }

  /** A little time passes. */
  function step(): void {
    const { usual, swing } = city.load
    const drift = (usual - level) * 0.2 + chance.between(-swing, swing) * 0.3
    level = Math.min(0.98, Math.max(0.05, level + drift))
    fill()
    for (const [id, one] of hosted) {
      if (one.level >= RAMP_MAX) continue
      one.level = Math.min(RAMP_MAX, one.level + RAMP)
      for (const pod of podsFor(id, one)) api.put(POD, pod)
    }
  }

  /** As many pods of its own as the level says, come and gone by chance. */
  function fill(): void {
    const wanted = Math.round(level * slots.length)
    while (own.size < wanted) {
      const slot = chance.oneOf(slots.filter((one) => !own.has(one)))
      own.add(slot)
      api.put(POD, podObject(slot.name, slot.node, shareOf(slot.node.pool)))
    }
    while (own.size > wanted) {
      const slot = chance.oneOf([...own])
      own.delete(slot)
      void api.remove(POD, `default/${slot.name}`)
    }
  }

  /** The reservations this city holds now; pods run only for those that are in use. */
  function host(instructions: readonly Reservation[]): void {
    const active = instructions.filter(({ status }) => status.phase === 'Active')
    for (const { id, requesterID: requester, requestedResources } of active) {
      if (hosted.has(id)) continue
      const parsed = parseResources(requestedResources, 'allocated')
      if (parsed.kind === 'ok') hosted.set(id, { requester, reserved: parsed.resources, level: 0 })
    }
    const ids = new Set(active.map(({ id }) => id))
    for (const [id, one] of hosted) {
      if (ids.has(id)) continue
      hosted.delete(id)
      if (one.level > 0)
        for (const { metadata } of podsFor(id, one))
          void api.remove(POD, `default/${metadata.name}`)
    }
  }

  /** A pod on each node that has what is asked for, each with its part. */
  function podsFor(id: string, { requester, reserved, level: part }: Hosted): KubeObject[] {
    const gpus = Number(reserved['nvidia.com/gpu'] ?? 0n)
    const able = nodes.filter(({ pool }) => gpus === 0 || (pool.gpus ?? 0) > 0)
    const chosen = able.slice(0, gpus > 0 ? Math.min(gpus, able.length) : able.length)
    return chosen.map((node, at) => {
      const each = (amount: bigint = 0n) => Math.floor((Number(amount) * part) / chosen.length)
      const whole = Math.floor(gpus / chosen.length) + (at < gpus % chosen.length ? 1 : 0)
      const requests = {
        cpu: `${each(reserved.cpu)}m`,
        memory: `${each(reserved.memory)}`,
        ...(whole > 0 && { 'nvidia.com/gpu': `${whole}` }),
      }
      return podObject(`${id}-${at}`, node, requests, offloadedLabels(id, requester))
    })
  }
}

/** As Liqo labels an offloaded pod; the creator is what its provider's webhook stamps. */
function offloadedLabels(id: string, requester: string): Readonly<Record<string, string>> {
  const slice = sliceName(id)
  return {
    'liqo.io/managed-by': 'shadowpod',
    'offloading.liqo.io/origin': requester,
    'offloading.liqo.io/nodename': slice,
    'liqo.io/creator-user': sliceUserOf(slice, requester),
  }
}

function nodesOf({ clusterId, pools }: City): SimulatedNode[] {
  return pools.flatMap((pool, kind) =>
    Array.from({ length: pool.count }, (_, at) => ({ name: `${clusterId}-${kind}-${at}`, pool })),
  )
}

function nodeObject({ name, pool }: SimulatedNode): KubeObject {
  const { cpu, memoryGi, gpus = 0 } = pool
  const amounts = (part: number) => ({
    cpu: `${Math.floor(cpu * 1_000 * part)}m`,
    memory: `${Math.floor(memoryGi * GI * part)}`,
    pods: '110',
    ...(gpus > 0 && { 'nvidia.com/gpu': `${gpus}` }),
  })
  const labels = gpus > 0 ? { 'nvidia.com/gpu.product': 'NVIDIA-H100' } : {}
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels },
    status: {
      capacity: amounts(1),
      allocatable: amounts(1 - SYSTEM_PART),
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  }
}

/** A slot's worth; GPUs are whole, so a node's pods have them where there are enough. */
function shareOf({ cpu, memoryGi, gpus = 0 }: NodePool): Readonly<Record<string, string>> {
  const part = (1 - SYSTEM_PART) / SLOTS
  return {
    cpu: `${Math.floor(cpu * 1_000 * part)}m`,
    memory: `${Math.floor(memoryGi * GI * part)}`,
    ...(gpus >= SLOTS && { 'nvidia.com/gpu': `${Math.floor(gpus / SLOTS)}` }),
  }
}

function podObject(
  name: string,
  node: SimulatedNode,
  requests: Readonly<Record<string, string>>,
  labels: Readonly<Record<string, string>> = {},
): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', labels },
    spec: { nodeName: node.name, containers: [{ name: 'main', resources: { requests } }] },
    status: { phase: 'Running' },
  }
}

function core(kind: string, namespaced: boolean): Kind {
  return { group: '', version: 'v1', plural: `${kind.toLowerCase()}s`, kind, namespaced }
}
