import { isLive } from '@bourse/domain/ledger'
import type { LedgerWriter } from '../ledger/writer/ledger-writer.ts'
import type { Inbound } from './inbound/inbound-queue.ts'
import type { AdvertisementItem } from './objects/advertisement-object.ts'
import type { ObjectCache } from './objects/object-cache.ts'
import type { ReservationItem } from './objects/reservation-object.ts'
import type { Mirrors } from './outbound/outbound-queue.ts'

type Ports = Readonly<{
  inbound: Inbound
  mirrors: Mirrors
  clusters: ObjectCache<AdvertisementItem>
  reservations: ObjectCache<ReservationItem>
  read: LedgerWriter['read']
}>

/** contract: a full look as a backup, 5 minutes for clusters, 1 minute for reservations. */
const CLUSTERS_EVERY_MS = 5 * 60_000
const RESERVATIONS_EVERY_MS = 60_000

/** Looks at everything now and from time to time; what is as it should be is left alone. */
export function startResync({ inbound, mirrors, clusters, reservations, read }: Ports) {
  lookAtClusters()
  lookAtReservations()
  const timers = [
    setInterval(lookAtClusters, CLUSTERS_EVERY_MS),
    setInterval(lookAtReservations, RESERVATIONS_EVERY_MS),
  ]

  return { stop: () => timers.forEach(clearInterval) }

  function lookAtClusters(): void {
    for (const key of clusters.keys()) if (!clusters.get(key)?.isMirror) inbound.look.atCluster(key)
    soon((view) => {
      for (const { clusterId } of view.clusters()) mirrors.showCluster(clusterId)
    })
  }

  function lookAtReservations(): void {
    const shown: string[] = []
    for (const key of reservations.keys()) {
      const object = reservations.get(key)
      if (object?.kind === 'asked') inbound.look.atReservation(key)
      else if (object?.isOurs) shown.push(object.name)
    }
    soon((view) => {
      mirrors.showMirrors(view.reservations())
      // A mirror of something that has left is found from its own side.
      for (const id of shown)
        if (!isLive(view.reservation(id)?.phase ?? 'Released')) mirrors.showMirror(id)
    })
  }

  /** When nothing can be read now, the next look does. */
  function soon(query: Parameters<typeof read>[0]): void {
    const done = () => {}
    read(query).then(done, done)
  }
}
