import type { AdvertisementInput } from '@bourse/contract'
import {
  add,
  clampZero,
  printResources,
  type Resources,
  subtract,
  sum,
} from '@bourse/domain/quantity'
import type { Measurement } from '../capacity/index.ts'
import type { HeldReservation } from '../peering/port/peering.ts'
import type { Cost } from './cost/index.ts'

export type Described = Readonly<{
  clusterId: string
  clusterName?: string
  endpointUrl?: string
  location?: string
  labels?: Readonly<Record<string, string>>
  visibility: 'full' | 'summary'
}>

export type Facts = Readonly<{
  described: Described
  /** With the sharing limits in it. */
  measured: Measurement
  held: readonly HeldReservation[]
  cost: Cost | undefined
  /** About the cluster's Liqo, where it has one. */
  liqo?: object | undefined
}>

/** Without the moment and the index: as long as all of this is the same, nothing is news. */
export type Advertised = AdvertisementInput

/** What this cluster says of itself (contract §4). */
export function composeAdvertisement(facts: Facts): Advertised {
  const { described, measured, held, cost, liqo } = facts
  const { clusterId, clusterName, endpointUrl, location, labels, visibility } = described
  const used = usedOf(measured, held)
  return {
    clusterID: clusterId,
    clusterName: clusterName ?? clusterId,
    resources: resourcesOf(measured, held),
    ...(cost && { cost }),
    ...(endpointUrl !== undefined && { endpointURL: endpointUrl }),
    ...(location !== undefined && { location }),
    ...(labels && { labels }),
    ...(used && { used }),
    visibility,
    largestFit: printResources(clampZero(measured.largestFit)),
    ...(Object.keys(measured.gpuModels).length > 0 && { gpuModels: measured.gpuModels }),
    ...(liqo && { liqo }),
  }
}

/**
 * contract §2: available = allocatable − allocated − Σ max(0, reserved − used). Allocated has the
 * pods of reservations in it, so that what a reservation uses is counted once.
 */
function resourcesOf(measured: Measurement, held: readonly HeldReservation[]) {
  const { capacity, allocatable, allocated } = measured
  const idle = held.map(({ id, resources }) =>
    clampZero(subtract(resources, measured.used.get(id) ?? {})),
  )
  const taken = idle.reduce(add, allocated)
  return {
    capacity: printResources(capacity),
    allocatable: printResources(allocatable),
    allocated: printResources(allocated),
    reserved: printResources(sum(held.map(({ resources }) => resources))),
    available: printResources(clampZero(onlyOf(allocatable, subtract(allocatable, taken)))),
  }
}

/** What nobody has cannot be left: a resource of pods alone is not shown as available. */
function onlyOf(known: Resources, resources: Resources): Resources {
  return Object.fromEntries(Object.entries(resources).filter(([name]) => name in known))
}

/** The broker ignores reservations that are not live; sending only these keeps the body small. */
function usedOf({ used }: Measurement, held: readonly HeldReservation[]) {
  const entries = held.flatMap(({ id }) => {
    const part = used.get(id)
    return part ? [[id, printResources(part)] as const] : []
  })
  return entries.length > 0 ? Object.fromEntries(entries) : undefined
}
