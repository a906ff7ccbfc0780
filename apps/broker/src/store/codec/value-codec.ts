import type { Advertisement, Cluster, Cost, Reservation } from '@bourse/domain/ledger'
import {
  decodeAmount,
  decodeResources,
  encodeAmount,
  encodeResources,
  mapValues,
  type Stored,
} from './amount-codec.ts'
import { isTooDeep } from './nesting.ts'

export function decodeReservation(stored: Stored<Reservation>): Reservation {
  const { price, ...rest } = stored
  return {
    ...rest,
    wanted: decodeResources(stored.wanted),
    legs: stored.legs.map((leg) => ({ ...leg, resources: decodeResources(leg.resources) })),
    ...(price && { price: { ...price, perHour: decodeAmount(price.perHour) } }),
  }
}

export function encodeAdvertisement(advertisement: Advertisement): Stored<Advertisement> {
  const { cost, largestFit, ...rest } = advertisement
  return {
    ...rest,
    capacity: encodeResources(advertisement.capacity),
    allocatable: encodeResources(advertisement.allocatable),
    allocated: encodeResources(advertisement.allocated),
    used: mapValues(advertisement.used, encodeResources),
    ...(largestFit && { largestFit: encodeResources(largestFit) }),
    ...(cost && { cost: encodeCost(cost) }),
  }
}

export function decodeAdvertisement(stored: Stored<Advertisement>): Advertisement {
  const { cost, largestFit, liqo, ...rest } = stored
  return {
    ...rest,
    capacity: decodeResources(stored.capacity),
    allocatable: decodeResources(stored.allocatable),
    allocated: decodeResources(stored.allocated),
    used: mapValues(stored.used, decodeResources),
    ...(largestFit && { largestFit: decodeResources(largestFit) }),
    ...(cost && { cost: decodeCost(cost) }),
    // Brokers up to 0.1 took what is too deep to be shown: one of them would spoil every list.
    ...(liqo !== undefined && !isTooDeep(liqo) && { liqo }),
  }
}

export const encodeCluster = (cluster: Cluster): Stored<Cluster> => ({
  ...cluster,
  advertisement: encodeAdvertisement(cluster.advertisement),
})

export const decodeCluster = (stored: Stored<Cluster>): Cluster => ({
  ...stored,
  advertisement: decodeAdvertisement(stored.advertisement),
})

const encodeCost = ({ currency, cpu, memory, gpu }: Cost): Stored<Cost> => ({
  currency,
  ...(cpu !== undefined && { cpu: encodeAmount(cpu) }),
  ...(memory !== undefined && { memory: encodeAmount(memory) }),
  ...(gpu !== undefined && { gpu: encodeAmount(gpu) }),
})

const decodeCost = ({ currency, cpu, memory, gpu }: Stored<Cost>): Cost => ({
  currency,
  ...(cpu !== undefined && { cpu: decodeAmount(cpu) }),
  ...(memory !== undefined && { memory: decodeAmount(memory) }),
  ...(gpu !== undefined && { gpu: decodeAmount(gpu) }),
})
