import { isLive } from '@bourse/domain/ledger'
import type { LedgerWriter } from '../ledger/writer/ledger-writer.ts'
import type { Doors } from './inbound/inbound-queue.ts'
import type { AdvertisementItem } from './objects/advertisement-object.ts'
import type { ObjectCache } from './objects/object-cache.ts'
import type { ReservationItem } from './objects/reservation-object.ts'
import type { Windows } from './outbound/outbound-queue.ts'

type Ports = Readonly<{
  doors: Doors
  windows: Windows
  clusters: ObjectCache<AdvertisementItem>
  reservations: ObjectCache<ReservationItem>
  read: LedgerWriter['read']
}>

/** contract: a full look as a backup, 5 minutes for clusters, 1 minute for reservations. */
const CLUSTERS_EVERY_MS = 5 * 60_000
const RESERVATIONS_EVERY_MS = 60_000

/** Looks at everything now and from time to time; what is as it should be is left alone. */
export function startResync({ doors, windows, clusters, reservations, read }: Ports) {
  lookAtClusters()
  lookAtReservations()
  const timers = [
    setInterval(lookAtClusters, CLUSTERS_EVERY_MS),
    setInterval(lookAtReservations, RESERVATIONS_EVERY_MS),
  ]

  return { stop: () => timers.forEach(clearInterval) }

  function lookAtClusters(): void {
    for (const key of clusters.keys()) if (!clusters.get(key)?.isMirror) doors.look.atCluster(key)
    soon((view) => {
      for (const { clusterId } of view.clusters()) windows.showCluster(clusterId)
    })
  }

  function lookAtReservations(): void {
    const mirrors: string[] = []
    for (const key of reservations.keys()) {
      const object = reservations.get(key)
      if (object?.kind === 'asked') doors.look.atReservation(key)
      else if (object?.isOurs) mirrors.push(object.name)
    }
    soon((view) => {
      windows.showMirrors(view.reservations())
      // A mirror of something that has left is found from its own side.
      for (const id of mirrors)
        if (!isLive(view.reservation(id)?.phase ?? 'Released')) windows.showMirror(id)
    })
  }

  /** When nothing can be read now, the next look does. */
  function soon(query: Parameters<typeof read>[0]): void {
    const done = () => {}
    read(query).then(done, done)
  }
}
