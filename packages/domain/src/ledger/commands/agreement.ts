import { priceFor } from '../../placement/index.ts'
import type { Resources } from '../../quantity/resources.ts'
import type { HourlyPrice, Leg } from '../../reservation/reservation.ts'
import type { Cluster } from '../../supply/cluster.ts'

/** What the providers of a reservation lend, and at what price. */
export type Agreement = Readonly<{ legs: readonly Leg[]; price?: HourlyPrice }>

/** What one cluster, as it stands, is to lend. */
export type Lending = Readonly<{ cluster: Cluster; resources: Resources }>

/** As many different wishes as a burst has. */
const KEPT_MAX = 8

/**
 * Like requests that fall to one provider share one agreement: half of what a live reservation is
 * made of, which the collector and every snapshot then look at once.
 */
export function createAgreements(currency: string): (lending: readonly Lending[]) => Agreement {
  // By the cluster as it stands: whatever changes about it makes another value.
  const kept = new WeakMap<Cluster, Map<Resources, Agreement>>()

  return function agreementOf(lending) {
    const [first = NOTHING, ...others] = lending.map(withOne)
    return others.reduce(joined, first)
  }

  function withOne({ cluster, resources }: Lending): Agreement {
    const ofCluster = kept.get(cluster) ?? remember(cluster)
    const known = ofCluster.get(resources)
    if (known) return known
    if (ofCluster.size >= KEPT_MAX) ofCluster.clear()
    const agreement = agree(cluster, resources)
    ofCluster.set(resources, agreement)
    return agreement
  }

  function remember(cluster: Cluster): Map<Resources, Agreement> {
    const ofCluster = new Map<Resources, Agreement>()
    kept.set(cluster, ofCluster)
    return ofCluster
  }

  function agree({ clusterId, advertisement }: Cluster, resources: Resources): Agreement {
    const legs = [{ clusterId, resources }]
    const { cost } = advertisement
    const perHour = cost?.currency === currency ? priceFor(resources, cost) : undefined
    return perHour === undefined ? { legs } : { legs, price: { perHour, currency } }
  }
}

const NOTHING: Agreement = { legs: [] }

/** The price of several is known only if each of them has one. */
function joined(left: Agreement, right: Agreement): Agreement {
  const legs = [...left.legs, ...right.legs]
  if (!left.price || !right.price) return { legs }
  const perHour = left.price.perHour + right.price.perHour
  return { legs, price: { perHour, currency: left.price.currency } }
}
