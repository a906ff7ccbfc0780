import {
  type ReservationSpec,
  type ReservationStatus,
  reservationKind,
} from '@bourse/contract/kinds'
import { isLive, type Reservation, targetOf } from '@bourse/domain/ledger'
import { formatDuration, printResources } from '@bourse/domain/quantity'
import { keyOf } from '@bourse/kube'
import { DOOR } from '../objects/kinds.ts'
import type { ObjectCache } from '../objects/object-cache.ts'
import {
  brokersPart,
  decodeReservation,
  type ReservationItem,
  type ReservationKubeObject,
  type ReservationMirror,
} from '../objects/reservation-object.ts'
import { reservationStatus } from '../objects/reservation-status.ts'
import { digestOf, isBehind } from '../objects/same-status.ts'
import { createMirrorWrites, type MirrorPorts, mirrorLabels } from './mirror-writes.ts'

type Ports = MirrorPorts &
  Readonly<{
    objects: Pick<ObjectCache<ReservationItem>, 'get' | 'wrote' | 'gone'>
    tell(object: ReservationMirror, before: ReservationStatus, status: ReservationStatus): void
    endpointOf(clusterId: string): string | undefined
  }>

/** How long something that has ended is still shown; the next full look after that removes it. */
const ENDED_KEEP_MS = 10 * 60_000
const ENDED_MAX = 1_000

/** Shows what came by REST: a mirror per reservation, named as the reservation. */
export function createReservationMirror(ports: Ports) {
  const { objects, namespace, ledgerId } = ports
  const writes = createMirrorWrites<ReservationKubeObject>(reservationKind, ports)
  /** Ended and still shown, oldest first. */
  const ended = new Map<string, Reservation>()

  return { show, note, isShown, removeStray }

  function removeStray(key: string, signal: AbortSignal): Promise<undefined> {
    return writes.removeStray(objects.get(key), signal)
  }

  /** Remembers a change; returns the reservation that is no longer shown because of it. */
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
    const target = mirror ?? { name: reservation.id, namespace }
    return noted(await writes.apply(target, { metadata: mirrorLabels, spec }, signal))
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
    noted(await writes.apply(mirror, { status }, signal))
  }

  async function remove(id: string, mirror: ReservationMirror | undefined, signal: AbortSignal) {
    ended.delete(id)
    if (!mirror?.isOurs || mirror.isDeleting) return undefined
    await writes.remove(mirror, signal)
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

/** A reservation that came by REST, written as its request would be by hand. */
export function reservationMirrorSpec(reservation: Reservation): ReservationSpec {
  const { requester, wanted, aliases, priority, startsAt, expiresAt } = reservation
  const target = targetOf(reservation)
  return {
    requesterID: requester,
    requestedResources: printResources(wanted, aliases),
    ...(expiresAt !== undefined && { duration: formatDuration(expiresAt - startsAt) }),
    priority,
    ...(target !== undefined && { targetClusterID: target }),
    ...(reservation.oneNode && { oneNode: true }),
  }
}
