import type {
  Amounts,
  ClusterCard,
  Prices,
  ReservationRow,
  ResourceLine,
} from '@bourse/contract/dashboard'
import type { Cluster, Cost, LedgerView, Reservation, Standing } from '@bourse/domain/ledger'
import { bandOf } from '@bourse/domain/placement'
import type { Money, Resources } from '@bourse/domain/quantity'

const BILLIONTHS = 1e9

/** The ledger counts in integers; the page only draws, and doubles are good enough to draw with. */
export function toAmounts(resources: Resources): Amounts {
  return Object.fromEntries(
    Object.entries(resources).map(([resource, amount]) => [resource, Number(amount)]),
  )
}

export const toUnits = (money: Money) => Number(money) / BILLIONTHS

export function toClusterCard(cluster: Cluster, standing: Standing, view: LedgerView): ClusterCard {
  const { clusterId, advertisement, accepting, isStale, withdrawnAt } = cluster
  const { clusterName: name, location, labels, gpuModels, cost } = advertisement
  return {
    clusterId,
    name,
    accepting,
    isStale,
    isOvercommitted: standing.isOvercommitted,
    advertisedAt: standing.advertisedAt,
    baseScore: standing.baseScore,
    band: bandOf(standing.baseScore),
    liveCount: standing.liveCount,
    resources: toLines(cluster, standing, view),
    ...(location !== undefined && { location }),
    ...(labels && { labels }),
    ...(gpuModels && { gpuModels }),
    ...(withdrawnAt !== undefined && { withdrawnAt }),
    ...(cost && { prices: toPrices(cost) }),
    ...(standing.unpriced !== undefined && { unpriced: standing.unpriced }),
  }
}

function toLines(
  { clusterId, advertisement }: Cluster,
  standing: Standing,
  view: LedgerView,
): Readonly<Record<string, ResourceLine>> {
  const used = usedOn(clusterId, advertisement.used, view)
  const lines: Record<string, ResourceLine> = {}
  // What is held and no longer offered at all is shown, too.
  const resources = new Set([...Object.keys(advertisement.allocatable), ...heldOf(standing)])
  for (const resource of resources) {
    const allocatable = advertisement.allocatable[resource] ?? 0n
    const allocated = Number(advertisement.allocated[resource] ?? 0n)
    const usedHere = Math.min(used.get(resource) ?? 0, allocated)
    lines[resource] = {
      allocatable: Number(allocatable),
      own: allocated - usedHere,
      used: usedHere,
      reserved: Math.max(0, Number(standing.reserved[resource] ?? 0n)),
      available: Math.max(0, Number(standing.available[resource] ?? 0n)),
    }
  }
  return lines
}

function heldOf({ reserved }: Standing): readonly string[] {
  return Object.keys(reserved).filter((resource) => (reserved[resource] ?? 0n) > 0n)
}

/** Contract §2: ids that are not held on that provider are ignored. */
function usedOn(
  clusterId: string,
  used: Readonly<Record<string, Resources>>,
  view: LedgerView,
): Map<string, number> {
  const sums = new Map<string, number>()
  for (const [id, resources] of Object.entries(used)) {
    const isHeldHere = view.reservation(id)?.legs.some((leg) => leg.clusterId === clusterId)
    if (!isHeldHere) continue
    for (const [resource, amount] of Object.entries(resources))
      sums.set(resource, (sums.get(resource) ?? 0) + Number(amount))
  }
  return sums
}

function toPrices({ cpu, memory, gpu, currency }: Cost): Prices {
  return {
    currency,
    ...(cpu !== undefined && { cpu: toUnits(cpu) }),
    ...(memory !== undefined && { memory: toUnits(memory) }),
    ...(gpu !== undefined && { gpu: toUnits(gpu) }),
  }
}

export function toReservationRow(reservation: Reservation): ReservationRow {
  const { id, requester, phase, priority, createdAt, startsAt, expiresAt, price } = reservation
  return {
    id,
    requester,
    providers: providersOf(reservation),
    wanted: toAmounts(reservation.wanted),
    phase,
    priority,
    createdAt,
    startsAt,
    ...(expiresAt !== undefined && { expiresAt }),
    ...(price && { pricePerHour: toUnits(price.perHour), currency: price.currency }),
  }
}

export const providersOf = (reservation: Reservation) =>
  reservation.legs.map((leg) => leg.clusterId)
