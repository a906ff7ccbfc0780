import { clusterAdvertisementKind, reservationKind } from '@bourse/contract/kinds'
import type { Kind, KubeClient } from '@bourse/kube'
import type { AdvertisementItem } from '../objects/advertisement-object.ts'
import type { ReservationItem } from '../objects/reservation-object.ts'
import type { Pace } from './pace.ts'

type Mirror = ReservationItem | AdvertisementItem
type Ports = Readonly<{
  client: Pick<KubeClient, 'delete'>
  pace: Pace
  clusters: Readonly<{ get(key: string): AdvertisementItem | undefined }>
  reservations: Readonly<{ get(key: string): ReservationItem | undefined }>
  /** Where what came by REST is shown. */
  namespace: string
  ledgerId: string
}>

/** Mirrors of this ledger in an earlier --http-namespace, which are no longer updated. */
export function createStrayMirrors(ports: Ports) {
  const { client, pace, clusters, reservations, namespace, ledgerId } = ports

  return {
    isStray,
    removeCluster: (key: string, signal: AbortSignal) =>
      remove(clusterAdvertisementKind, clusters.get(key), signal),
    removeReservation: (key: string, signal: AbortSignal) =>
      remove(reservationKind, reservations.get(key), signal),
  }

  function isStray(object: Mirror): boolean {
    // Another broker on this API server may show another ledger elsewhere.
    return object.isOurs && object.namespace !== namespace && ledgerOf(object) === ledgerId
  }

  async function remove(kind: Kind, object: Mirror | undefined, signal: AbortSignal) {
    if (!object || object.isDeleting || !isStray(object)) return undefined
    await pace.take(signal)
    const { uid } = object
    await client.delete(kind, object, { preconditions: { uid }, signal })
    return undefined
  }
}

function ledgerOf(object: Mirror): string | undefined {
  return 'ledgerId' in object ? object.ledgerId : object.shown.ledgerID
}
