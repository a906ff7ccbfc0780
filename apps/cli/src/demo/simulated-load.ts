import type { AdvertisementInput, Reservation } from '@bourse/contract'
import { add, parseResources, printResources, type Resources } from '@bourse/domain/quantity'
import type { Chance } from './chance.ts'
import type { City } from './cities.ts'

const MILLI = 1_000n
const GI = 2n ** 30n
/** What the kubelet and the system keep for themselves. */
const SYSTEM_PERCENT = 4n
/** Pods of a reservation in use take this much more of it with every step, up to most of it. */
const RAMP = 0.25
const RAMP_MAX = 0.85

/** What runs in a city: its own pods, whose load wanders, and those it hosts for others. */
export function createSimulatedLoad(city: City, chance: Chance) {
  const capacity = capacityOf(city)
  const allocatable = { ...capacity, ...withoutSystem(capacity) }
  const hosted = new Map<string, { reserved: Resources; level: number }>()
  let level = city.load.usual

  return { step, host, advertisement }

  /** A little time passes. */
  function step(): void {
    const { usual, swing } = city.load
    const drift = (usual - level) * 0.2 + chance.between(-swing, swing) * 0.3
    level = Math.min(0.98, Math.max(0.05, level + drift))
    for (const one of hosted.values()) one.level = Math.min(RAMP_MAX, one.level + RAMP)
  }

  /** The reservations this city holds now; pods run only for those that are in use. */
  function host(instructions: readonly Reservation[]): void {
    const active = instructions.filter(({ status }) => status.phase === 'Active')
    for (const { id, requestedResources } of active) {
      if (hosted.has(id)) continue
      const parsed = parseResources(requestedResources, 'allocated')
      if (parsed.kind === 'ok') hosted.set(id, { reserved: parsed.resources, level: 0 })
    }
    const ids = new Set(active.map(({ id }) => id))
    for (const id of hosted.keys()) if (!ids.has(id)) hosted.delete(id)
  }

  function advertisement(seenIndex: number | undefined): AdvertisementInput {
    const used = Object.fromEntries(
      Array.from(hosted, ([id, { reserved, level: part }]) => [id, scale(reserved, part)]),
    )
    const own = scale(allocatable, level)
    const allocated = Object.values(used).reduce(add, own)
    return {
      clusterID: city.clusterId,
      clusterName: city.name,
      location: city.location,
      endpointURL: `https://${city.clusterId}.example:6443`,
      visibility: city.isOpen ? 'full' : 'summary',
      cost: {
        cpuCost: city.price.cpu,
        memoryCost: city.price.memory,
        ...(city.price.gpu !== undefined && { gpuCost: city.price.gpu }),
        currency: 'EUR',
      },
      resources: {
        capacity: printResources(capacity),
        allocatable: printResources(allocatable),
        allocated: printResources(allocated),
      },
      used: Object.fromEntries(Object.entries(used).map(([id, one]) => [id, printResources(one)])),
      timestamp: new Date().toISOString(),
      ...(seenIndex !== undefined && { seenIndex }),
    }
  }
}

function withoutSystem({ cpu = 0n, memory = 0n }: Resources): Resources {
  return share({ cpu, memory }, 100n - SYSTEM_PERCENT, 100n)
}

function capacityOf({ pools }: City): Resources {
  const gpus = pools.reduce((total, { count, gpus: each = 0 }) => total + count * each, 0)
  const nodes = pools.reduce((total, { count }) => total + count, 0)
  return {
    cpu: MILLI * BigInt(pools.reduce((total, { count, cpu }) => total + count * cpu, 0)),
    memory: GI * BigInt(pools.reduce((sum, { count, memoryGi }) => sum + count * memoryGi, 0)),
    pods: BigInt(nodes * 110),
    ...(gpus > 0 && { 'nvidia.com/gpu': BigInt(gpus) }),
  }
}

/** Whole devices and pods are never split; cores and bytes are. */
function scale(resources: Resources, part: number): Resources {
  return share(resources, BigInt(Math.round(part * 1_000)), 1_000n)
}

function share(resources: Resources, over: bigint, under: bigint): Resources {
  const scaled: Record<string, bigint> = {}
  for (const [name, amount] of Object.entries(resources))
    scaled[name] =
      name === 'memory' ? (((amount * over) / under) >> 20n) << 20n : (amount * over) / under
  return scaled
}
