import type { Money } from '../quantity/money.ts'
import type { Resources } from '../quantity/resources.ts'

/** Prices per core-hour, GiB-hour and GPU-hour. */
export type Cost = Readonly<{ cpu?: Money; memory?: Money; gpu?: Money; currency: string }>

/** What a cluster says of itself. Only its agent changes these facts, never the broker. */
export type Advertisement = Readonly<{
  clusterName: string
  capacity: Resources
  allocatable: Resources
  /** Requests of all pods, including those that run for a reservation. */
  allocated: Resources
  /** By reservation id: the part of `allocated` that runs for it, measured together. */
  used: Readonly<Record<string, Resources>>
  cost?: Cost
  endpointUrl?: string
  location?: string
  labels?: Readonly<Record<string, string>>
  /** `full`: other tenants may see this cluster's numbers in explanations. */
  visibility?: 'full' | 'summary'
  /** The most of each resource that is free on a single node. */
  largestFit?: Resources
  /**
   * Present with `largestFit`: the journal index up to which the agent had seen its grants when it
   * measured. It moves on only where that makes a difference to what was granted since.
   */
  seenIndex?: number
  /** GPUs by model, as the nodes name them. */
  gpuModels?: Readonly<Record<string, number>>
  /** What the agent says about its Liqo installation. Never read here. */
  liqo?: unknown
  /**
   * Which publication of a hand-made advertisement this is. The same stamp again is not a sign of
   * life. Absent: every advertisement is one.
   */
  stamp?: string
  /** No door owns this cluster now: the next one to advertise it does. */
  isUnclaimed?: boolean
  /** Alias names that the agent used (`gpu`, `storage`): answers to it use the same. */
  aliases?: readonly string[]
}>

/** cordoned: takes nothing new; withdrawn: takes nothing new and ends what it holds. */
export type Accepting = 'open' | 'cordoned' | 'withdrawn'

/** A cluster as the broker knows it. Immutable: a change makes a new value. */
export type Cluster = Readonly<{
  /** Never changes. After `decommission` a new cluster may have it. */
  clusterId: string
  /** The one door that may advertise this id (`rest`, `kubernetes`), unless it is unclaimed. */
  door: string
  /** The last one. It is replaced as a whole. */
  advertisement: Advertisement
  accepting: Accepting
  /** It was silent for too long: it keeps what it holds and gets nothing new. */
  isStale: boolean
  /** When the advertised facts last changed, in the broker's time. */
  changedAt: number
  /** Present only while withdrawn: when all that it holds ends. */
  withdrawnAt?: number
}>

/** False: the same publication was read before. */
export function isNewPublication(now: Stamped, before: Stamped | undefined): boolean {
  return now.stamp === undefined || now.stamp !== before?.stamp
}

type Stamped = Readonly<{ stamp?: string | undefined }>

/** Whether two plain values (records, lists, strings, integers) are equal. */
export function sameFacts(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const left = a as Record<string, unknown> // an object by the checks above
  const right = b as Record<string, unknown>
  let size = 0
  for (const name in left) {
    if (!Object.hasOwn(right, name) || !sameFacts(left[name], right[name])) return false
    size++
  }
  return size === Object.keys(right).length
}
