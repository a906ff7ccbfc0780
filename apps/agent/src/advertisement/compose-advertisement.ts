import type { AdvertisementInput } from '@bourse/contract'
import { given } from '@bourse/daemon/given'
import { add, clampZero, printResources, subtract, sum } from '@bourse/domain/quantity'
import { type Measurement, onlyOf } from '../capacity/index.ts'
import type { AgentConfig } from '../config/index.ts'
import type { HeldReservation } from '../peering/port/peering.ts'
import type { Cost } from './cost/prices.ts'

/** What the flags say of this cluster, and its id. */
export type Described = AgentConfig['described'] & Readonly<{ clusterId: string }>

export type Facts = Readonly<{
  described: Described
  /** With the sharing limits applied. */
  measured: Measurement
  held: readonly HeldReservation[]
  cost: Cost | undefined
  /** Facts about the cluster's Liqo, if it has one. */
  liqo?: object | undefined
}>

/** Without timestamp and index: if all of this is unchanged, nothing is published. */
export type Advertised = AdvertisementInput

/** This cluster's advertisement (contract §4). */
export function composeAdvertisement(facts: Facts): Advertised {
  const { described, measured, held, cost, liqo } = facts
  const { clusterId, clusterName, endpointUrl, location, labels, visibility } = described
  return {
    clusterID: clusterId,
    clusterName: clusterName ?? clusterId,
    resources: resourcesOf(measured, held),
    ...given({ cost, endpointURL: endpointUrl, location, labels, used: usedOf(measured, held) }),
    visibility,
    largestFit: printResources(clampZero(measured.largestFit)),
    ...(Object.keys(measured.gpuModels).length > 0 && { gpuModels: measured.gpuModels }),
    ...given({ liqo }),
  }
}

/**
 * contract §2: available = allocatable − allocated − Σ max(0, reserved − used). Allocated
 * includes the pods of reservations, so that a reservation's usage is counted once.
 */
function resourcesOf(measured: Measurement, held: readonly HeldReservation[]) {
  const { capacity, allocatable, allocated } = measured
  const idle = held.map(({ id, resources }) =>
    clampZero(subtract(resources, measured.used.get(id) ?? {})),
  )
  const taken = idle.reduce(add, allocated)
  // Only pods name some resources, and no node has them.
  return {
    capacity: printResources(capacity),
    allocatable: printResources(allocatable),
    allocated: printResources(allocated),
    reserved: printResources(sum(held.map(({ resources }) => resources))),
    available: printResources(clampZero(onlyOf(allocatable, subtract(allocatable, taken)))),
  }
}

/** Only live reservations: the broker ignores others. */
function usedOf({ used }: Measurement, held: readonly HeldReservation[]) {
  const entries = held.flatMap(({ id }) => {
    const part = used.get(id)
    return part ? [[id, printResources(part)] as const] : []
  })
  return entries.length > 0 ? Object.fromEntries(entries) : undefined
}
