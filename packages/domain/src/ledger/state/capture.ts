import type { ImagePart, LedgerImage } from './image.ts'
import type { Books } from './state.ts'

/** References only: a million reservations are captured in milliseconds and encoded later. */
export function captureBooks(books: Books): LedgerImage {
  const clusters: LedgerImage['clusters'][number][] = []
  const draining: LedgerImage['draining'][number][] = []
  for (const { cluster, advertisedAt, draining: numbers } of books.providers.all()) {
    clusters.push({ cluster, advertisedAt })
    for (const number of numbers) {
      const reservation = books.reservations.at(number)
      if (reservation) draining.push({ id: reservation.id, clusterId: cluster.clusterId })
    }
  }
  return {
    ...books.identity,
    clusters,
    draining,
    requesters: Array.from(books.silence.heardAt, ([requester, heardAt]) => ({
      requester,
      heardAt,
    })),
    reservations: Array.from(books.reservations.values()),
    tombstones: Array.from(books.requestIds.tombstones.values()),
    peerings: Array.from(books.peerings.all()),
  }
}

/** Fills empty books from the parts of an image, in the order that `partsOf` gives them. */
export function createLoader(books: Books): (part: ImagePart) => void {
  const draining = new Map<string, Set<string>>()

  return (part) => {
    switch (part.kind) {
      case 'header':
        books.identity.ledgerId = part.ledgerId
        books.identity.lastNumber = part.lastNumber
        books.identity.lastAt = part.lastAt
        return
      case 'clusters':
        for (const { cluster, advertisedAt } of part.clusters)
          books.putCluster(cluster, advertisedAt)
        return
      case 'requesters':
        for (const { requester, heardAt } of part.requesters) books.silence.hear(requester, heardAt)
        return
      case 'draining':
        for (const { id, clusterId } of part.draining) {
          draining.set(id, (draining.get(id) ?? new Set()).add(clusterId))
        }
        return
      case 'reservations':
        for (const reservation of part.reservations) {
          // Hardly ever are there any, and a million ids would be hashed to find that out.
          const heldBy = draining.size > 0 ? draining.get(reservation.id) : undefined
          books.enter(reservation, heldBy)
        }
        return
      case 'peerings':
        for (const session of part.peerings) books.peerings.load(session)
        return
      case 'tombstones':
        for (const record of part.tombstones) books.requestIds.bury(record)
        return
    }
  }
}
