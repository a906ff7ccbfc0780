import type { Reservation as WireReservation } from '@bourse/contract'
import type { Leg, Reservation } from '@bourse/domain/ledger'
import { formatMoney, printResources } from '@bourse/domain/quantity'
import { isoOf } from '../doors/moments.ts'
import type { EndpointOf } from '../doors/provider-endpoints.ts'
import { messageOf } from '../doors/reservation-message.ts'

/** A reservation as its requester, or an operator, sees it. */
export function toReservation(reservation: Reservation, endpointOf: EndpointOf): WireReservation {
  const [first] = reservation.legs
  return toWire(reservation, {
    target: first?.clusterId ?? '',
    resources: reservation.wanted,
    endpointURL: first && endpointOf(first.clusterId),
  })
}

/** A reservation as one of its providers sees it: its own part and no other. */
export function toInstruction(reservation: Reservation, clusterId: string): WireReservation {
  const own = reservation.legs.find((leg) => leg.clusterId === clusterId)
  return toWire(reservation, { target: clusterId, resources: own?.resources ?? {} })
}

type Shown = Readonly<{
  target: string
  resources: Leg['resources']
  endpointURL?: string | undefined
}>

function toWire(reservation: Reservation, shown: Shown): WireReservation {
  const { id, requester, requestId, priority, reason, price, pinned, createdAt } = reservation
  const { endpointURL } = shown
  return {
    id,
    requesterID: requester,
    targetClusterID: shown.target,
    requestedResources: printResources(shown.resources, reservation.aliases),
    status: statusOf(reservation),
    createdAt: isoOf(createdAt),
    ...(requestId !== undefined && { requestId }),
    priority,
    ...(pinned !== undefined && { pinned: true }),
    ...(endpointURL !== undefined && { endpointURL }),
    ...(reason && { reason }),
    ...(price && { cost: { perHour: formatMoney(price.perHour), currency: price.currency } }),
    index: reservation.changedIndex,
  }
}

function statusOf(reservation: Reservation): WireReservation['status'] {
  const { phase, reason, activatedAt, expiresAt, endedAt } = reservation
  const hasCapacity = phase !== 'Pending' && phase !== 'Failed'
  return {
    phase,
    ...(reason && { reason }),
    message: messageOf(reservation),
    ...(hasCapacity && { reservedAt: isoOf(reservation.startsAt) }),
    ...(activatedAt !== undefined && { activatedAt: isoOf(activatedAt) }),
    ...(expiresAt !== undefined && { expiresAt: isoOf(expiresAt) }),
    ...(endedAt !== undefined && { endedAt: isoOf(endedAt) }),
  }
}
