import type { Reservation } from '@bourse/domain/ledger'
import { createWorkQueue, type WorkQueueOptions } from '@bourse/kube'
import type { Committed } from '../../ledger/writer/ledger-writer.ts'
import { DOOR } from '../objects/kinds.ts'
import { type WhyNotLeading, workingAsLeader } from '../objects/leader-only.ts'
import type { createClusterMirror } from './cluster-mirror.ts'
import type { createReservationMirror } from './reservation-mirror.ts'

type Ports = Readonly<{
  clusterMirror: ReturnType<typeof createClusterMirror>
  reservationMirror: ReturnType<typeof createReservationMirror>
  whyNotLeading: WhyNotLeading
  onTrouble: NonNullable<WorkQueueOptions['onTrouble']>
}>

export type Mirrors = ReturnType<typeof createMirrors>

const WORKERS = 8
const BACKOFF = { baseMs: 50, capMs: 30_000 }
/** More waiting than this wait for the next full look instead. */
const KEYS_MAX = 200_000
/** A cluster that holds many reservations changes often: what comes within this is one write. */
const GATHER_MS = 100
const CLUSTER = 'cluster '
const RESERVATION = 'reservation '
const STRAY_CLUSTER = 'stray-cluster '
const STRAY_RESERVATION = 'stray-reservation '

/** Shows what was committed: each thing once for however many changes came meanwhile. */
export function createMirrors(ports: Ports) {
  const { clusterMirror, reservationMirror, whyNotLeading, onTrouble } = ports
  const queue = createWorkQueue({
    work: workingAsLeader(work, whyNotLeading),
    onTrouble,
    workers: WORKERS,
    backoff: BACKOFF,
    keysMax: KEYS_MAX,
  })

  return {
    follow,
    showCluster,
    showMirror,
    showMirrors,
    removeStrayCluster: (key: string) => void queue.add(STRAY_CLUSTER + key),
    removeStrayReservation: (key: string) => void queue.add(STRAY_RESERVATION + key),
    size: queue.size,
    stop: queue.stop,
  }

  function work(key: string, signal: AbortSignal) {
    if (key.startsWith(CLUSTER))
      return clusterMirror.show(key.slice(CLUSTER.length), signal).then(() => undefined)
    if (key.startsWith(STRAY_CLUSTER))
      return clusterMirror.removeStray(key.slice(STRAY_CLUSTER.length), signal)
    if (key.startsWith(STRAY_RESERVATION))
      return reservationMirror.removeStray(key.slice(STRAY_RESERVATION.length), signal)
    return reservationMirror.show(key.slice(RESERVATION.length), signal)
  }

  function follow({ events }: Committed): void {
    for (const event of events) {
      if ('clusterId' in event) queue.addAfter(CLUSTER + event.clusterId, GATHER_MS)
      if (!('reservation' in event)) continue
      noteReservation(event.reservation)
    }
  }

  function noteReservation(reservation: Reservation): void {
    for (const { clusterId } of reservation.legs) queue.addAfter(CLUSTER + clusterId, GATHER_MS)
    if (reservation.door === DOOR) return
    queue.add(RESERVATION + reservation.id)
    const dropped = reservationMirror.note(reservation)
    if (dropped !== undefined) queue.add(RESERVATION + dropped)
  }

  function showCluster(clusterId: string): void {
    queue.add(CLUSTER + clusterId)
  }

  function showMirror(id: string): void {
    queue.add(RESERVATION + id)
  }

  /** For a look at all of them: those that are shown as they are cost a glance each. */
  function showMirrors(reservations: Iterable<Reservation>): void {
    for (const reservation of reservations)
      if (reservation.door !== DOOR && !reservationMirror.isShown(reservation))
        queue.add(RESERVATION + reservation.id)
  }
}
