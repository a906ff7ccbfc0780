import type { Advertisement as WireAdvertisement } from '@bourse/contract'
import type { Advertisement, Cluster, LedgerView, Standing } from '@bourse/domain/ledger'
import { bandOf, formatScore } from '@bourse/domain/placement'
import { printResources } from '@bourse/domain/quantity'
import { isoOf } from '../../presentation/moments.ts'
import { printedCost, printedSupply } from '../../presentation/printed-supply.ts'

/** What a cluster has advertised, and what the broker adds. */
export function toAdvertisement(cluster: Cluster, view: LedgerView): WireAdvertisement {
  const standing = view.standing(cluster.clusterId)
  if (!standing) throw new Error(`${cluster.clusterId} has no standing in the ledger`)
  const { advertisement } = cluster
  return {
    clusterID: cluster.clusterId,
    clusterName: advertisement.clusterName,
    resources: printedSupply(advertisement, standing),
    timestamp: isoOf(standing.advertisedAt),
    ...optionalsOf(advertisement),
    status: statusOf(cluster, standing),
  }
}

function optionalsOf(advertisement: Advertisement) {
  const { cost, endpointUrl, labels, location, visibility, liqo, used, aliases } = advertisement
  const { largestFit, gpuModels } = advertisement
  const uses = Object.entries(used).map(
    ([id, part]) => [id, printResources(part, aliases)] as const,
  )
  return {
    ...(cost && { cost: printedCost(cost) }),
    ...(endpointUrl !== undefined && { endpointURL: endpointUrl }),
    ...(labels && { labels: { ...labels } }),
    ...(location !== undefined && { location }),
    ...(uses.length > 0 && { used: Object.fromEntries(uses) }),
    ...(visibility && { visibility }),
    ...(largestFit && { largestFit: printResources(largestFit, aliases) }),
    ...(gpuModels && { gpuModels: { ...gpuModels } }),
    ...(liqo !== undefined && { liqo }),
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
    ...(standing.unpriced !== undefined && { unpriced: standing.unpriced }),
    liveReservations: standing.liveCount,
    lastSeenAt: isoOf(standing.advertisedAt),
    changedAt: isoOf(changedAt),
    ...(withdrawnAt !== undefined && { withdrawnAt: isoOf(withdrawnAt) }),
  }
}
