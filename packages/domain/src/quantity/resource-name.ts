import type { Unit } from './quantity.ts'
import { quote } from './quote.ts'

/** Short names people write, and what they stand for. */
const CANONICAL: ReadonlyMap<string, string> = new Map([
  ['gpu', 'nvidia.com/gpu'],
  ['storage', 'ephemeral-storage'],
])
const ALIASES: ReadonlyMap<string, string> = new Map(
  [...CANONICAL].map(([alias, name]) => [name, alias]),
)

const NATIVE: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage', 'pods'])
const HUGE_PAGES = /^hugepages-[1-9]\d{0,8}[KMGT]i$/
const DOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const DOMAIN_LENGTH_MAX = 253
const NAME = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/
const NAME_LENGTH_MAX = 63

export function canonicalName(name: string): string {
  return CANONICAL.get(name) ?? name
}

/** The alias of a canonical name, if it has one. */
export function aliasOf(name: string): string | undefined {
  return ALIASES.get(name)
}

/** CPU is counted in thousandths of a core, everything else in whole units. */
export function unitOf(name: string): Unit {
  return name === 'cpu' ? 'milli' : 'whole'
}

/** Whether whole units are bytes, to be printed as `4Gi`; others are pieces, printed as digits. */
export function isBytes(name: string): boolean {
  return name === 'memory' || name === 'ephemeral-storage' || HUGE_PAGES.test(name)
}

const WHOLE_GPUS: ReadonlySet<string> = new Set(['nvidia.com/gpu', 'amd.com/gpu'])
const GPU_FAMILIES = ['nvidia.com/mig-', 'gpu.intel.com/'] as const

/** Whether a piece of this resource is a GPU, or a slice of one that is sold as one. */
export function isGpu(name: string): boolean {
  return WHOLE_GPUS.has(name) || GPU_FAMILIES.some((family) => name.startsWith(family))
}

/** Native names belong to Kubernetes; extended ones have a domain of their own. */
export function isNative(name: string): boolean {
  return NATIVE.has(name) || HUGE_PAGES.test(name)
}

/** What is wrong with a canonical name, if anything; `__proto__` and its like end here. */
export function nameProblem(name: string): string | undefined {
  if (isNative(name)) return undefined
  const slash = name.indexOf('/')
  const domain = name.slice(0, slash)
  const rest = name.slice(slash + 1)
  const isQualified =
    domain.length <= DOMAIN_LENGTH_MAX &&
    rest.length <= NAME_LENGTH_MAX &&
    DOMAIN.test(domain) &&
    NAME.test(rest)
  if (slash > 0 && isQualified) return undefined
  return `${quote(name)} is not a resource: use cpu, memory, gpu, storage, or an extended name such as "example.com/fpga"`
}
