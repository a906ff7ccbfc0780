import type { ReservationSpec } from '@bourse/contract/kinds'
import { type Reservation, targetOf } from '@bourse/domain/ledger'
import { formatDuration, printResources } from '@bourse/domain/quantity'

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
  }
}
