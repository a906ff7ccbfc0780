import { ADVERTISEMENT_MIRROR_PREFIX, type ClusterAdvertisementSpec } from '@bourse/contract/kinds'
import type { Cluster, Standing } from '@bourse/domain/ledger'
import { isoOf } from '../../presentation/moments.ts'
import { printedCost, printedSupply } from '../../presentation/printed-supply.ts'

export function clusterMirrorName(clusterId: string): string {
  return `${ADVERTISEMENT_MIRROR_PREFIX}${clusterId}`
}

/** A cluster that advertises by REST, written as its advertisement would be by hand. */
export function clusterMirrorSpec(cluster: Cluster, standing: Standing): ClusterAdvertisementSpec {
  const { clusterId, advertisement, changedAt } = cluster
  const { cost, endpointUrl, labels, location, visibility } = advertisement
  return {
    clusterID: clusterId,
    clusterName: advertisement.clusterName,
    resources: printedSupply(advertisement, standing),
    // When the facts changed: heartbeats write nothing.
    timestamp: isoOf(changedAt),
    ...(cost && { cost: printedCost(cost) }),
    ...(endpointUrl !== undefined && { endpointURL: endpointUrl }),
    ...(labels && { labels: { ...labels } }),
    ...(location !== undefined && { location }),
    ...(visibility && { visibility }),
  }
}
