import type { Money } from '../quantity/money.ts'
import type { Resources } from '../quantity/resources.ts'

/** Prices per core-hour, GiB-hour and GPU-hour. */
export type Cost = Readonly<{ cpu?: Money; memory?: Money; gpu?: Money; currency: string }>

/** What a cluster says of itself. The agent owns every fact in here, the broker none. */
export type Advertisement = Readonly<{
  clusterName: string
  capacity: Resources
  allocatable: Resources
  /** Requests of all pods, also of those that run for a reservation. */
  allocated: Resources
  /** The part of `allocated` that runs for each reservation, measured together with it. */
  used: Readonly<Record<string, Resources>>
  cost?: Cost
  endpointUrl?: string
  location?: string
  labels?: Readonly<Record<string, string>>
  /** `full`: other tenants may see this cluster's numbers in explanations. */
  visibility?: 'full' | 'summary'
  /** The most of each resource that is free on a single node; shown, not yet decided by. */
  largestFit?: Resources
  /** GPUs by model, as the nodes name them. */
  gpuModels?: Readonly<Record<string, number>>
  /** What the agent says about its Liqo installation; carried, never interpreted here. */
  liqo?: unknown
  /**
   * Which publication of a hand-made advertisement this is. The same one again, however often it
   * is listed, is no sign of life; absent, every advertisement is one.
   */
  stamp?: string
  /** Nobody speaks for this cluster now: whichever door advertises it next owns it. */
  isUnclaimed?: boolean
  /** Alias names the agent used (`gpu`, `storage`), so that answers speak its dialect. */
  aliases?: readonly string[]
}>

/** cordoned: takes nothing new; withdrawn: takes nothing new and ends what it holds. */
export type Accepting = 'open' | 'cordoned' | 'withdrawn'

export type Cluster = Readonly<{
  clusterId: string
  /** The door that owns this id (`rest`, `kubernetes`); a second door's claim is refused. */
  door: string
  advertisement: Advertisement
  accepting: Accepting
  isStale: boolean
  /** When the advertised facts last changed, in the broker's time. */
  changedAt: number
  /** When what this cluster holds ends, once it is withdrawn. */
  withdrawnAt?: number
}>

/** Whether it says something new, or only what was read before is read again. */
export function isNewPublication(now: Stamped, before: Stamped | undefined): boolean {
  return now.stamp === undefined || now.stamp !== before?.stamp
}

type Stamped = Readonly<{ stamp?: string | undefined }>
