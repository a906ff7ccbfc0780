import { isDeepStrictEqual } from 'node:util'
import type { AdvertisementInput } from '@bourse/contract'
import { given } from '@bourse/daemon/given'
import {
  add,
  clampZero,
  isZero,
  printResources,
  type Resources,
  subtract,
  sum,
} from '@bourse/domain/quantity'
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
    visibility,
    ...filled({
      cost,
      endpointURL: endpointUrl,
      location,
      labels,
      used: usedOf(measured, held),
      largestFit: printResources(clampZero(measured.largestFit)),
      gpuModels: measured.gpuModels,
      liqo,
    }),
  }
}

/** Without what is empty: a broker reads nothing from it, and server-side apply refuses it. */
function filled<T extends object>(fields: T) {
  const entries = Object.entries(given(fields)).filter(([, value]) => !isDeepStrictEqual(value, {}))
  return Object.fromEntries(entries) as ReturnType<typeof given<T>>
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
  const reserved = sum(held.map(({ resources }) => resources))
  // Only pods name some resources, and no node has them.
  return {
    capacity: blockOf(capacity),
    allocatable: blockOf(allocatable),
    allocated: blockOf(allocated),
    ...(!isZero(reserved) && { reserved: blockOf(reserved) }),
    available: blockOf(clampZero(onlyOf(allocatable, subtract(allocatable, taken)))),
  }
}

/** The Go original parses cpu and memory of every block that is sent, and refuses an empty one. */
function blockOf(resources: Resources) {
  return printResources({ cpu: 0n, memory: 0n, ...resources })
}

/** Only live reservations: the broker ignores others. */
function usedOf({ used }: Measurement, held: readonly HeldReservation[]) {
  const entries = held.flatMap(({ id }) => {
    const part = used.get(id)
    return part ? [[id, printResources(part)] as const] : []
  })
  return Object.fromEntries(entries)
}
