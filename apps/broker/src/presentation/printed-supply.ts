import type { Cost as WireCost } from '@bourse/contract'
import type { Advertisement, Cost, Standing } from '@bourse/domain/ledger'
import { clampZero, formatMoney, printResources } from '@bourse/domain/quantity'

/** What a cluster says it has. */
export function printedAmounts(advertisement: Advertisement) {
  const { capacity, allocatable, allocated, aliases } = advertisement
  return {
    capacity: printResources(capacity, aliases),
    allocatable: printResources(allocatable, aliases),
    allocated: printResources(allocated, aliases),
  }
}

/** Beside it what the broker alone knows. */
export function printedSupply(advertisement: Advertisement, standing: Standing) {
  const { aliases } = advertisement
  return {
    ...printedAmounts(advertisement),
    // A Go agent reads these two by name: none reserved is written as "0", not left out.
    reserved: printResources({ cpu: 0n, memory: 0n, ...standing.reserved }, aliases),
    available: printResources(clampZero(standing.available), aliases),
  }
}

export function printedCost({ cpu, memory, gpu, currency }: Cost): WireCost {
  return {
    ...(cpu !== undefined && { cpuCost: formatMoney(cpu) }),
    ...(memory !== undefined && { memoryCost: formatMoney(memory) }),
    ...(gpu !== undefined && { gpuCost: formatMoney(gpu) }),
    currency,
  }
}
