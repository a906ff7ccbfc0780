import {
  BROKER_FIELD_MANAGER,
  type ReservationStatus,
  reservationKind,
} from '@bourse/contract/kinds'
import { isLive, type Reservation } from '@bourse/domain/ledger'
import { type KubeClient, keyOf } from '@bourse/kube'
import type { LedgerWriter } from '../../ledger/writer/ledger-writer.ts'
import { DOOR, MIRROR_LABEL, MIRROR_OF } from '../objects/kinds.ts'
import {
  brokersPart,
  decodeReservation,
  type ReservationItem,
  type ReservationKubeObject,
  type ReservationMirror,
} from '../objects/reservation-object.ts'
import { reservationStatus } from '../objects/reservation-status.ts'
import { digestOf } from '../objects/same-text.ts'
import { isBehind, proven } from '../objects/status-stamp.ts'
import type { Pace } from './pace.ts'
import { reservationMirrorSpec } from './reservation-mirror-spec.ts'

type Ports = Readonly<{
  client: Pick<KubeClient, 'apply' | 'delete'>
  read: LedgerWriter['read']
  objects: Readonly<{
    get(key: string): ReservationItem | undefined
    wrote(object: ReservationItem): void
    gone(key: string): void
  }>
  tell(object: ReservationMirror, before: ReservationStatus, status: ReservationStatus): void
  endpointOf(clusterId: string): string | undefined
  pace: Pace
  /** Where what came by REST is shown. */
  namespace: string
  ledgerId: string
  /** How far the ledger is. */
  proof(): string
  now(): number
}>

/** How long something that has ended is still shown; the next full look after that removes it. */
const ENDED_KEEP_MS = 10 * 60_000
const ENDED_MAX = 1_000
const options = { fieldManager: BROKER_FIELD_MANAGER, force: true } as const

/** Shows what came by REST: a mirror per reservation, named as the reservation. */
export function createReservationMirror(ports: Ports) {
  const { client, objects, pace, namespace, ledgerId } = ports
  /** Ended and still shown, oldest first. */
  const ended = new Map<string, Reservation>()

  return { show, note, isShown }

  /** Remembers a change; returns the reservations that are no longer shown because of it. */
  function note(reservation: Reservation): string | undefined {
    if (isLive(reservation.phase)) return undefined
    ended.set(reservation.id, reservation)
    if (ended.size <= ENDED_MAX) return undefined
    const [oldest] = ended.keys()
    if (oldest !== undefined) ended.delete(oldest)
    return oldest
  }

  /** Whether its mirror has its last change already: cheap, for a look at all of them. */
  function isShown({ id, changedIndex }: Reservation): boolean {
    const mirror = mirrorOf(id)
    return mirror?.ledgerId === ledgerId && mirror.ledgerIndex === changedIndex
  }

  async function show(id: string, signal: AbortSignal) {
    const live = await ports.read((view) => view.reservation(id))
    const reservation = live && isLive(live.phase) ? live : ended.get(id)
    const mirror = mirrorOf(id)
    if (reservation?.door === DOOR) return undefined
    if (!reservation || isOverdue(reservation)) return remove(id, mirror, signal)
    // It came and ended before it could be shown.
    if (!mirror && !isLive(reservation.phase)) return undefined
    const shown = await showSpec(reservation, mirror, signal)
    await showStatus(reservation, shown, signal)
    return undefined
  }

  function isOverdue({ endedAt }: Reservation): boolean {
    return endedAt !== undefined && endedAt + ENDED_KEEP_MS <= ports.now()
  }

  function mirrorOf(name: string): ReservationMirror | undefined {
    const object = objects.get(keyOf({ namespace, name }))
    return object?.kind === 'mirror' ? object : undefined
  }

  async function showSpec(
    reservation: Reservation,
    mirror: ReservationMirror | undefined,
    signal: AbortSignal,
  ): Promise<ReservationMirror> {
    const spec = reservationMirrorSpec(reservation)
    if (mirror?.isOurs && mirror.specDigest === digestOf(spec)) return mirror
    const labels = { [MIRROR_LABEL]: MIRROR_OF }
    const metadata = { ...addressOf(mirror ?? { name: reservation.id, namespace }), labels }
    await pace.take(signal)
    return noted(await client.apply(reservationKind, { metadata, spec }, { ...options, signal }))
  }

  async function showStatus(
    reservation: Reservation,
    mirror: ReservationMirror,
    signal: AbortSignal,
  ): Promise<void> {
    const { generation, ledgerId: ledgerID, ledgerIndex, phase } = mirror
    const { endpointOf } = ports
    const status = reservationStatus(reservation, { ledgerId, generation, endpointOf })
    if (isBehind(status, { ledgerID, ledgerIndex })) return
    if (mirror.statusDigest === digestOf(brokersPart(status))) return
    ports.tell(mirror, { phase }, status)
    await pace.take(signal)
    const wanted = { metadata: addressOf(mirror), status: proven(status, ports.proof) }
    noted(
      await client.apply(reservationKind, wanted, { ...options, subresource: 'status', signal }),
    )
  }

  async function remove(id: string, mirror: ReservationMirror | undefined, signal: AbortSignal) {
    ended.delete(id)
    if (!mirror?.isOurs || mirror.isDeleting) return undefined
    await pace.take(signal)
    const { uid } = mirror
    await client.delete(reservationKind, mirror, { preconditions: { uid }, signal })
    objects.gone(keyOf(mirror))
    return undefined
  }

  function noted(written: ReservationKubeObject): ReservationMirror {
    const object = decodeReservation(written)
    if (object?.kind !== 'mirror') throw new Error('A mirror came back as something else')
    objects.wrote(object)
    return object
  }
}

type Address = Readonly<{ name: string; namespace: string; resourceVersion?: string }>

function addressOf({ name, namespace, resourceVersion }: Address) {
  return { name, namespace, ...(resourceVersion && { resourceVersion }) }
}
