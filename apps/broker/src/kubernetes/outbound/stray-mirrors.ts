import { clusterAdvertisementKind, reservationKind } from '@bourse/contract/kinds'
import type { AdvertisementItem } from '../objects/advertisement-object.ts'
import type { ObjectCache } from '../objects/object-cache.ts'
import type { ReservationItem } from '../objects/reservation-object.ts'
import { createMirrorWrites, type MirrorPorts } from './mirror-writes.ts'

type Mirror = ReservationItem | AdvertisementItem
type Ports = Omit<MirrorPorts, 'read' | 'now'> &
  Readonly<{
    clusters: Pick<ObjectCache<AdvertisementItem>, 'get'>
    reservations: Pick<ObjectCache<ReservationItem>, 'get'>
  }>

/** Mirrors of this ledger in an earlier --http-namespace, which are no longer updated. */
export function createStrayMirrors(ports: Ports) {
  const { clusters, reservations, namespace, ledgerId } = ports
  const clusterWrites = createMirrorWrites(clusterAdvertisementKind, ports)
  const reservationWrites = createMirrorWrites(reservationKind, ports)

  return {
    isStray,
    removeCluster: (key: string, signal: AbortSignal) =>
      remove(clusterWrites, clusters.get(key), signal),
    removeReservation: (key: string, signal: AbortSignal) =>
      remove(reservationWrites, reservations.get(key), signal),
  }

  function isStray(object: Mirror): boolean {
    // Another broker on this API server may show another ledger elsewhere.
    return object.isOurs && object.namespace !== namespace && ledgerOf(object) === ledgerId
  }

  async function remove(
    writes: ReturnType<typeof createMirrorWrites>,
    object: Mirror | undefined,
    signal: AbortSignal,
  ): Promise<undefined> {
    if (object && !object.isDeleting && isStray(object)) await writes.remove(object, signal)
  }
}

function ledgerOf(object: Mirror): string | undefined {
  return 'ledgerId' in object ? object.ledgerId : object.shown.ledgerID
}
