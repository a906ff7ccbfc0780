import type { Advertisement as WireAdvertisement, Cost as WireCost } from '@bourse/contract'
import type { Advertisement, Cluster, Cost, LedgerView, Standing } from '@bourse/domain/ledger'
import { bandOf, formatScore } from '@bourse/domain/placement'
import { clampZero, formatMoney, printResources } from '@bourse/domain/quantity'
import { isoOf } from './moments.ts'

/** A cluster's own words, and what the broker knows beyond them. */
export function toAdvertisement(cluster: Cluster, view: LedgerView): WireAdvertisement {
  const standing = view.standing(cluster.clusterId)
  if (!standing) throw new Error(`${cluster.clusterId} has no standing in the ledger`)
  const { advertisement } = cluster
  return {
    clusterID: cluster.clusterId,
    clusterName: advertisement.clusterName,
    resources: resourcesOf(advertisement, standing),
    timestamp: isoOf(standing.advertisedAt),
    ...optionalsOf(advertisement),
    status: statusOf(cluster, standing),
  }
}

function resourcesOf(advertisement: Advertisement, standing: Standing) {
  const { capacity, allocatable, allocated, aliases } = advertisement
  return {
    capacity: printResources(capacity, aliases),
    allocatable: printResources(allocatable, aliases),
    allocated: printResources(allocated, aliases),
    // A Go agent reads these two by name: none reserved is written as "0", not left out.
    reserved: printResources({ cpu: 0n, memory: 0n, ...standing.reserved }, aliases),
    available: printResources(clampZero(standing.available), aliases),
  }
}

function optionalsOf(advertisement: Advertisement) {
  const { cost, endpointUrl, labels, location, visibility, liqo, used, aliases } = advertisement
  const uses = Object.entries(used).map(
    ([id, part]) => [id, printResources(part, aliases)] as const,
  )
  return {
    ...(cost && { cost: toCost(cost) }),
    ...(endpointUrl !== undefined && { endpointURL: endpointUrl }),
    ...(labels && { labels: { ...labels } }),
    ...(location !== undefined && { location }),
    ...(uses.length > 0 && { used: Object.fromEntries(uses) }),
    ...(visibility && { visibility }),
    ...(liqo !== undefined && { liqo }),
  }
}

function toCost({ cpu, memory, gpu, currency }: Cost): WireCost {
  return {
    ...(cpu !== undefined && { cpuCost: formatMoney(cpu) }),
    ...(memory !== undefined && { memoryCost: formatMoney(memory) }),
    ...(gpu !== undefined && { gpuCost: formatMoney(gpu) }),
    currency,
  }
}

function statusOf(cluster: Cluster, standing: Standing): WireAdvertisement['status'] {
  const { accepting, changedAt, withdrawnAt } = cluster
  return {
    phase: cluster.isStale ? 'Stale' : 'Active',
    accepting,
    score: formatScore(standing.baseScore),
    band: bandOf(standing.baseScore),
    overcommitted: standing.isOvercommitted,
    liveReservations: standing.liveCount,
    lastSeenAt: isoOf(standing.advertisedAt),
    changedAt: isoOf(changedAt),
    ...(withdrawnAt !== undefined && { withdrawnAt: isoOf(withdrawnAt) }),
  }
}
