import type { Cluster, LedgerView } from '@bourse/domain/ledger'
import { createWorkQueue, type WorkQueueOptions } from '@bourse/kube'
import type { LedgerWriter } from '../../ledger/writer/ledger-writer.ts'
import { type AdvertisementItem, uidOf } from '../objects/advertisement-object.ts'
import { DOOR } from '../objects/kinds.ts'
import { type WhyNotLeading, workingAsLeader } from '../objects/leader-only.ts'
import type { ObjectCache } from '../objects/object-cache.ts'
import type { ReservationItem } from '../objects/reservation-object.ts'
import { ADOPTION, type TakeOver } from './adoption.ts'
import type { createAdvertisementReconciler } from './advertisement-reconciler.ts'
import type { ObjectReservations } from './object-reservations.ts'
import type { createReservationReconciler } from './reservation-reconciler.ts'

type Ports = Readonly<{
  clusters: ObjectCache<AdvertisementItem>
  reservations: ObjectCache<ReservationItem>
  advertisementReconciler: ReturnType<typeof createAdvertisementReconciler>
  reservationReconciler: ReturnType<typeof createReservationReconciler>
  objectReservations: ObjectReservations
  read: LedgerWriter['read']
  submit: LedgerWriter['submit']
  whyNotLeading: WhyNotLeading
  onTrouble: NonNullable<WorkQueueOptions['onTrouble']>
}>

export type Inbound = ReturnType<typeof createInbound>

const WORKERS = 16
/** A conflict means that another client wrote: the watch reports it in a moment. */
const BACKOFF = { baseMs: 20, capMs: 30_000 }
/** What each key begins with: whose turn it is. */
const CLUSTER = 'cluster '
const RESERVATION = 'reservation '
/** One turn after the first full list, not before. */
const ORPHANS = 'orphans'
const LEFTOVERS = 'leftovers'
/** The provider of something to take over may advertise any moment, or never again. */
const TAKE_OVER_AGAIN_MS = 2_000

/** One turn at a time for each object, which is always handled in its current state. */
export function createInbound(ports: Ports) {
  const { clusters, reservations, objectReservations, read, submit } = ports
  const { advertisementReconciler, reservationReconciler } = ports
  const queue = createWorkQueue({
    work: workingAsLeader(work, ports.whyNotLeading),
    onTrouble: ports.onTrouble,
    workers: WORKERS,
    backoff: BACKOFF,
  })
  /** Supply that has not been read yet. */
  const unread = new Set<string>()
  let supplyRead = Promise.withResolvers<void>()
  let toTakeOver: readonly TakeOver[] = []
  const tookOver = Promise.withResolvers<void>()

  const look = {
    atCluster(key: string): void {
      unread.add(key)
      queue.add(CLUSTER + key)
    },
    atReservation: (key: string): void => void queue.add(RESERVATION + key),
    /** Releases reservations whose objects were deleted while no broker watched. */
    forOrphans: (): void => void queue.add(ORPHANS),
  }

  return {
    look,
    /** Resolves when these were tried once; those whose provider is unknown are tried again. */
    takeOver(leftovers: readonly TakeOver[]): Promise<void> {
      toTakeOver = leftovers
      queue.add(LEFTOVERS)
      return leftovers.length === 0 ? Promise.resolve() : tookOver.promise
    },
    supplyIsComing: () => unread.size > 0,
    /** Resolves when every advertisement that is here now was looked at. */
    supplyRead(): Promise<void> {
      if (unread.size === 0) return Promise.resolve()
      supplyRead = Promise.withResolvers<void>()
      return supplyRead.promise
    },
    size: queue.size,
    stop: queue.stop,
  }

  async function work(key: string) {
    if (key === ORPHANS) return releaseOrphans()
    if (key === LEFTOVERS) return takeOverLeftovers()
    if (key.startsWith(CLUSTER)) return lookAtCluster(key.slice(CLUSTER.length))
    return lookAtReservation(key.slice(RESERVATION.length))
  }

  function lookAtCluster(key: string) {
    return clusterTurn(key).finally(() => {
      unread.delete(key)
      if (unread.size === 0) supplyRead.resolve()
    })
  }

  async function clusterTurn(key: string) {
    const gone = clusters.takeGone(key)
    for (const last of gone) {
      await advertisementReconciler.gone(last)
      lookAtRivals(last.spec.clusterID)
    }
    clusters.dealtWith(key, gone)
    const object = clusters.get(key)
    return object && !object.isMirror ? advertisementReconciler.reconcile(object) : undefined
  }

  /** Others that speak for the same cluster: the next one may have it now. */
  function lookAtRivals(clusterId: string): void {
    for (const key of clusters.keys())
      if (clusters.get(key)?.spec.clusterID === clusterId) look.atCluster(key)
  }

  async function lookAtReservation(key: string) {
    const gone = reservations.takeGone(key)
    for (const last of gone) if (last.kind === 'asked') await reservationReconciler.gone(last)
    reservations.dealtWith(key, gone)
    const object = reservations.get(key)
    return object?.kind === 'asked' ? reservationReconciler.reconcile(object) : undefined
  }

  async function takeOverLeftovers() {
    const left: TakeOver[] = []
    for (const leftover of toTakeOver) if (!(await isTaken(leftover))) left.push(leftover)
    toTakeOver = left
    tookOver.resolve()
    return left.length > 0 ? { againAfterMs: TAKE_OVER_AGAIN_MS } : undefined
  }

  async function isTaken({ command, wasActive }: TakeOver): Promise<boolean> {
    const { outcome } = await submit(command)
    const isIdle = 'reservation' in outcome && outcome.reservation.phase === 'Reserved'
    if (wasActive && isIdle)
      await submit({ kind: 'activate', id: outcome.reservation.id, by: ADOPTION })
    return outcome.kind !== 'refused'
  }

  /** Every step is a command that may be given twice, so a failed turn begins anew. */
  async function releaseOrphans(): Promise<undefined> {
    for (const [uid, { requester }] of [...objectReservations.live()])
      if (reservations.keyOfUid(uid) === undefined)
        await reservationReconciler.released(requester, uid)
    const orphaned = await read((view) => [...handMade(view)])
    for (const cluster of orphaned) {
      const uid = uidOf(cluster.advertisement.stamp)
      if (uid === undefined || clusters.keyOfUid(uid) !== undefined) continue
      await advertisementReconciler.retire(cluster)
    }
  }
}

function* handMade(view: LedgerView): Generator<Cluster> {
  for (const cluster of view.clusters())
    if (cluster.door === DOOR && cluster.advertisement.stamp !== undefined) yield cluster
}
