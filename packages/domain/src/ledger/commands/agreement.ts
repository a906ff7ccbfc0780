import { priceFor } from '../../placement/index.ts'
import type { Resources } from '../../quantity/resources.ts'
import type { HourlyPrice, Leg } from '../../reservation/reservation.ts'
import type { Cluster } from '../../supply/cluster.ts'

/** What a provider lends, and at what price. */
export type Agreement = Readonly<{ legs: readonly Leg[]; price?: HourlyPrice }>

/** As many different wishes as a burst has. */
const KEPT_MAX = 8

/**
 * Like requests that fall to one provider share one agreement: half of what a live reservation is
 * made of, which the collector and every snapshot then look at once.
 */
export function createAgreements(
  currency: string,
): (cluster: Cluster, wanted: Resources) => Agreement {
  // By the cluster as it stands: whatever changes about it makes another value.
  const kept = new WeakMap<Cluster, Map<Resources, Agreement>>()

  return function agreementOf(cluster, wanted) {
    const ofCluster = kept.get(cluster) ?? remember(cluster)
    const known = ofCluster.get(wanted)
    if (known) return known
    if (ofCluster.size >= KEPT_MAX) ofCluster.clear()
    const agreement = agree(cluster, wanted)
    ofCluster.set(wanted, agreement)
    return agreement
  }

  function remember(cluster: Cluster): Map<Resources, Agreement> {
    const ofCluster = new Map<Resources, Agreement>()
    kept.set(cluster, ofCluster)
    return ofCluster
  }

  function agree({ clusterId, advertisement }: Cluster, wanted: Resources): Agreement {
    const legs = [{ clusterId, resources: wanted }]
    const { cost } = advertisement
    const perHour = cost?.currency === currency ? priceFor(wanted, cost) : undefined
    return perHour === undefined ? { legs } : { legs, price: { perHour, currency } }
  }
}
