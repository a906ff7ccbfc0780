import { sizeLimits } from '../../limits.ts'
import { priceFor } from '../../placement/index.ts'
import type { Resources } from '../../quantity/resources.ts'
import type { HourlyPrice, Leg } from '../../reservation/reservation.ts'
import type { Cluster } from '../../supply/cluster.ts'
import type { Conversion } from '../../supply/conversion.ts'

/** What the providers of a reservation lend, and at what price. */
export type Agreement = Readonly<{ legs: readonly Leg[]; price?: HourlyPrice }>

/** What one cluster is to lend, with the cluster as it is now. */
export type Lending = Readonly<{ cluster: Cluster; resources: Resources }>

/**
 * Equal requests on one provider share one agreement. It is half of a live reservation's memory,
 * which the garbage collector and every snapshot then visit once.
 */
export function createAgreements({
  currency,
  pricesOf,
}: Conversion): (lending: readonly Lending[]) => Agreement {
  // Keyed by the cluster value: a changed cluster is another value.
  const kept = new WeakMap<Cluster, Map<Resources, Agreement>>()

  return function agreementOf(lending) {
    const [first = NOTHING, ...others] = lending.map(withOne)
    return others.reduce(joined, first)
  }

  function withOne({ cluster, resources }: Lending): Agreement {
    const ofCluster = kept.get(cluster) ?? remember(cluster)
    const known = ofCluster.get(resources)
    if (known) return known
    if (ofCluster.size >= sizeLimits.agreementsKept) ofCluster.clear()
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
    const prices = pricesOf(advertisement.cost)
    const perHour = prices && priceFor(resources, prices)
    return perHour === undefined ? { legs } : { legs, price: { perHour, currency } }
  }
}

const NOTHING: Agreement = { legs: [] }

/** The price is known only if every leg has one. */
function joined(left: Agreement, right: Agreement): Agreement {
  const legs = [...left.legs, ...right.legs]
  if (!left.price || !right.price) return { legs }
  const perHour = left.price.perHour + right.price.perHour
  return { legs, price: { perHour, currency: left.price.currency } }
}
