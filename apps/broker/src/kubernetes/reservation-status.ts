import type { Condition, ReservationStatus } from '@bourse/contract/kinds'
import type { Reservation } from '@bourse/domain/ledger'
import { isoOf } from '../doors/moments.ts'
import { messageOf } from '../doors/reservation-message.ts'

export type Showing = Readonly<{
  ledgerId: string
  generation: number
  endpointOf(clusterId: string): string | undefined
  /** What somebody asked for and did not get, in words. */
  complaint?: string | undefined
}>

/** How a reservation stands, as its object shows it. */
export function reservationStatus(reservation: Reservation, showing: Showing): ReservationStatus {
  const { phase, reason, legs, activatedAt, expiresAt, endedAt } = reservation
  const target = legs[0]?.clusterId
  const endpoint = target === undefined ? undefined : showing.endpointOf(target)
  const message = [messageOf(reservation), showing.complaint].filter(Boolean).join('; ')
  return {
    phase,
    ...(reason && { reason }),
    message,
    reservationID: reservation.id,
    ...(target !== undefined && { targetClusterID: target }),
    ...(endpoint !== undefined && { targetClusterEndpoint: endpoint }),
    ...(target !== undefined && { reservedAt: isoOf(reservation.startsAt) }),
    ...(activatedAt !== undefined && { activatedAt: isoOf(activatedAt) }),
    ...(expiresAt !== undefined && { expiresAt: isoOf(expiresAt) }),
    ...(endedAt !== undefined && { endedAt: isoOf(endedAt) }),
    conditions: [readyOf(reservation, message, showing.generation)],
    observedGeneration: showing.generation,
    ledgerID: showing.ledgerId,
    ledgerIndex: reservation.changedIndex,
  }
}

export type Ending = Readonly<{
  phase: 'Failed' | 'Released'
  reason: string
  message: string
  /** How many clusters were refused, by reason. */
  refused?: ReservationStatus['refused']
}>
type Moment = Readonly<{ now: number; index: number; ledgerId: string; generation: number }>

/** For what the ledger holds nothing of: it never got capacity, or ended elsewhere long ago. */
export function endedStatus(ending: Ending & Moment): ReservationStatus {
  const { phase, reason, message, refused, generation, ledgerId, index } = ending
  const ready: Condition = {
    type: 'Ready',
    status: 'False',
    reason,
    message,
    lastTransitionTime: isoOf(ending.now),
    observedGeneration: generation,
  }
  return {
    phase,
    reason,
    message,
    ...(refused && { refused }),
    conditions: [ready],
    observedGeneration: generation,
    ledgerID: ledgerId,
    ledgerIndex: index,
  }
}

function readyOf(reservation: Reservation, message: string, generation: number): Condition {
  const { phase, reason, startsAt, createdAt, endedAt } = reservation
  const isReady = phase === 'Reserved' || phase === 'Active'
  return {
    type: 'Ready',
    status: isReady ? 'True' : 'False',
    reason: reason ?? phase,
    message,
    // Known from the reservation itself: the same status again has the same moment in it.
    lastTransitionTime: isoOf(isReady ? startsAt : (endedAt ?? createdAt)),
    observedGeneration: generation,
  }
}
