import type { Command } from '@bourse/domain/ledger'
import type { Resources } from '@bourse/domain/quantity'

const GIB = 1024n ** 3n

export type City = Readonly<{
  id: string
  /** Unless its id is its name. */
  name?: string
  location: string
  cpu: number
  memory: number
  gpu?: number
  /** Share of cpu and memory that its own pods take. */
  load: number
  price: number
  gpuPrice?: number
  currency?: string
  labels?: Readonly<Record<string, string>>
  gpuModels?: Readonly<Record<string, number>>
  /** The most that is free on a single node. */
  largestFit?: Resources
}>

export const OSLO: City = {
  id: 'oslo',
  location: 'eu-north',
  cpu: 128,
  memory: 512,
  gpu: 16,
  load: 0.22,
  price: 0.026,
  gpuPrice: 1.7,
  labels: { team: 'vision', power: 'hydro' },
  gpuModels: { 'NVIDIA-H100': 16 },
}
export const CITIES: readonly City[] = [
  {
    id: 'paris',
    location: 'eu-west',
    cpu: 64,
    memory: 256,
    gpu: 8,
    load: 0.38,
    price: 0.031,
    gpuPrice: 2.1,
  },
  {
    id: 'berlin',
    location: 'eu-central',
    cpu: 96,
    memory: 384,
    gpu: 4,
    load: 0.52,
    price: 0.029,
    gpuPrice: 2.4,
  },
  { id: 'madrid', location: 'eu-south', cpu: 32, memory: 128, load: 0.3, price: 0.024 },
  {
    id: 'milan',
    location: 'eu-south',
    cpu: 48,
    memory: 192,
    gpu: 2,
    load: 0.44,
    price: 0.027,
    gpuPrice: 1.9,
  },
  OSLO,
  { id: 'turin', location: 'eu-south', cpu: 16, memory: 64, load: 0.1, price: 0.022 },
  { id: 'warsaw', location: 'eu-east', cpu: 40, memory: 160, load: 0.61, price: 0.019 },
]
export const SILENT_CITY: City = {
  id: 'dublin',
  location: 'eu-west',
  cpu: 24,
  memory: 96,
  load: 0.25,
  price: 0.033,
}

export function toAdvertise(city: City, used: Readonly<Record<string, Resources>> = {}): Command {
  const { id, cpu, memory, gpu, load, price, gpuPrice } = city
  const supply = {
    cpu: BigInt(cpu) * 1_000n,
    memory: BigInt(memory) * GIB,
    ...(gpu && { 'nvidia.com/gpu': BigInt(gpu) }),
  }
  const ownPods = {
    cpu: cpuMilli(cpu * load),
    memory: gib(memory * load),
    ...(gpu && { 'nvidia.com/gpu': BigInt(Math.floor(gpu * load)) }),
  }
  return {
    kind: 'advertise',
    door: 'rest',
    clusterId: id,
    advertisement: {
      clusterName: city.name ?? id,
      location: city.location,
      ...(city.labels && { labels: city.labels }),
      ...(city.gpuModels && { gpuModels: city.gpuModels }),
      ...(city.largestFit && { largestFit: city.largestFit, seenIndex: 0 }),
      capacity: supply,
      allocatable: supply,
      allocated: Object.values(used).reduce(plus, ownPods),
      used,
      cost: {
        cpu: billionths(price),
        memory: billionths(price / 8),
        ...(gpuPrice && { gpu: billionths(gpuPrice) }),
        currency: city.currency ?? 'USD',
      },
    },
  }
}

const cpuMilli = (cores: number) => BigInt(Math.round(cores * 1_000))
export const gib = (amount: number) => BigInt(Math.round(amount * 1024)) * 1024n ** 2n
const billionths = (amount: number) => BigInt(Math.round(amount * 1e9))

function plus(sum: Record<string, bigint>, more: Resources): Record<string, bigint> {
  const names = new Set([...Object.keys(sum), ...Object.keys(more)])
  return Object.fromEntries(
    [...names].map((name) => [name, (sum[name] ?? 0n) + (more[name] ?? 0n)]),
  )
}
