import { isLive, type LedgerView, type Reservation } from '@bourse/domain/ledger'
import type { Committed } from '../../ledger/writer/ledger-writer.ts'
import { DOOR } from '../objects/kinds.ts'

export type ObjectReservations = ReturnType<typeof createObjectReservations>

/** Reservations that objects led to, by UID: live ones, and ended ones until that was shown. */
export function createObjectReservations() {
  const byUid = new Map<string, Reservation>()

  return { load, follow, get, settled, live }

  function load(view: LedgerView): void {
    for (const reservation of view.reservations()) note(reservation)
    for (const reservation of view.ended()) note(reservation)
  }

  /** Called for every commit; answers with the UIDs it was about. */
  function follow({ events }: Committed): string[] {
    const changed: string[] = []
    for (const event of events) {
      if (!('reservation' in event)) continue
      const uid = note(event.reservation)
      if (uid !== undefined) changed.push(uid)
    }
    return changed
  }

  function get(uid: string): Reservation | undefined {
    return byUid.get(uid)
  }

  function settled(uid: string): void {
    const reservation = byUid.get(uid)
    if (reservation && !isLive(reservation.phase)) byUid.delete(uid)
  }

  function* live(): Generator<readonly [uid: string, reservation: Reservation]> {
    for (const entry of byUid) if (isLive(entry[1].phase)) yield entry
  }

  function note(reservation: Reservation): string | undefined {
    const { door, requestId } = reservation
    if (door !== DOOR || requestId === undefined) return undefined
    byUid.set(requestId, reservation)
    return requestId
  }
}
