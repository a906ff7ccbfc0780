import type { ImagePart, LedgerImage } from './image.ts'
import type { State } from './state.ts'

/** Takes references only: a million reservations take milliseconds. */
export function captureState(state: State): LedgerImage {
  const clusters: LedgerImage['clusters'][number][] = []
  const draining: LedgerImage['draining'][number][] = []
  for (const { cluster, advertisedAt, draining: numbers } of state.providers.all()) {
    clusters.push({ cluster, advertisedAt })
    for (const number of numbers) {
      const reservation = state.reservations.at(number)
      if (reservation) draining.push({ id: reservation.id, clusterId: cluster.clusterId })
    }
  }
  return {
    ...state.identity,
    clusters,
    draining,
    requesters: Array.from(state.silence.heardAt, ([requester, heardAt]) => ({
      requester,
      heardAt,
    })),
    reservations: Array.from(state.reservations.values()),
    tombstones: Array.from(state.requestIds.tombstones.values()),
    peerings: Array.from(state.peerings.all()),
  }
}

/** Fills an empty state from the parts of an image, in the order of `partsOf`. */
export function createLoader(state: State): (part: ImagePart) => void {
  const draining = new Map<string, Set<string>>()

  return (part) => {
    switch (part.kind) {
      case 'header':
        state.identity.ledgerId = part.ledgerId
        state.identity.lastNumber = part.lastNumber
        state.identity.lastAt = part.lastAt
        return
      case 'clusters':
        for (const { cluster, advertisedAt } of part.clusters)
          state.clusters.put(cluster, advertisedAt)
        return
      case 'requesters':
        for (const { requester, heardAt } of part.requesters) state.silence.hear(requester, heardAt)
        return
      case 'draining':
        for (const { id, clusterId } of part.draining) {
          draining.set(id, (draining.get(id) ?? new Set()).add(clusterId))
        }
        return
      case 'reservations':
        for (const reservation of part.reservations) {
          // Usually empty: then a million ids need not be hashed.
          const heldBy = draining.size > 0 ? draining.get(reservation.id) : undefined
          state.enter(reservation, heldBy)
        }
        return
      case 'peerings':
        for (const session of part.peerings) state.peerings.load(session)
        return
      case 'tombstones':
        for (const record of part.tombstones) state.requestIds.bury(record)
        return
    }
  }
}
