import type { Condition, ReservationStatus } from '@bourse/contract/kinds'
import { holdsNow, type Reservation, targetOf } from '@bourse/domain/ledger'
import { isoOf } from '../../presentation/moments.ts'
import { messageOf } from '../../presentation/reservation-message.ts'
import { RATE_LIMITED } from './kinds.ts'
import type { AskedReservation } from './reservation-object.ts'

export type Showing = Readonly<{
  ledgerId: string
  generation: number
  endpointOf(clusterId: string): string | undefined
  /** What the user asked for and did not get. */
  complaint?: string | undefined
}>

/** How a reservation stands, as its object shows it. */
export function reservationStatus(reservation: Reservation, showing: Showing): ReservationStatus {
  const { phase, reason, activatedAt, expiresAt, endedAt } = reservation
  const target = targetOf(reservation)
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
    conditions: conditionsOf(reservation, message, showing.generation),
    observedGeneration: showing.generation,
    ledgerID: showing.ledgerId,
    ledgerIndex: reservation.changedIndex,
  }
}

/** What was postponed is not observed yet. */
export function generationShown(
  { generation, spec, shown }: AskedReservation,
  { lives, isPostponed }: Readonly<{ lives: boolean; isPostponed: boolean }>,
): number {
  if (isPostponed) return shown.observedGeneration ?? 0
  // Filling in the provider makes one more: named at once, it needs no second write.
  return lives && !spec.targetClusterID ? generation + 1 : generation
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
  const said = { reason, message, lastTransitionTime: isoOf(ending.now) }
  return {
    phase,
    reason,
    message,
    ...(refused && { refused }),
    conditions: over({ ...said, observedGeneration: generation }),
    observedGeneration: generation,
    ledgerID: ledgerId,
    ledgerIndex: index,
  }
}

/** For what is read later: its cluster has had more than its share. */
export function delayedStatus({
  message,
  ...at
}: Moment & Readonly<{ message: string }>): ReservationStatus {
  const { generation: observedGeneration, ledgerId, index } = at
  const said = { reason: RATE_LIMITED, message }
  const lastTransitionTime = isoOf(at.now)
  return {
    phase: 'Pending',
    ...said,
    conditions: [
      { type: 'Ready', status: 'False', ...said, lastTransitionTime, observedGeneration },
    ],
    observedGeneration,
    ledgerID: ledgerId,
    ledgerIndex: index,
  }
}

type Said = Omit<Condition, 'type' | 'status'>

function conditionsOf(reservation: Reservation, message: string, generation: number): Condition[] {
  const { phase, reason, startsAt, createdAt, endedAt } = reservation
  const holds = holdsNow(phase)
  const said = {
    reason: reason ?? phase,
    message,
    // Known from the reservation itself: the same status again has the same moment in it.
    lastTransitionTime: isoOf(holds ? startsAt : (endedAt ?? createdAt)),
    observedGeneration: generation,
  }
  if (holds) return [{ type: 'Ready', status: 'True', ...said }]
  return phase === 'Pending' ? [{ type: 'Ready', status: 'False', ...said }] : over(said)
}

/**
 * kstatus (Flux, `kubectl`-like tools) reads Ready=False alone as "not yet", for ever. A released
 * or expired reservation is Stalled, too: a user who keeps it in Git asks for capacity that will
 * not come again, and should learn it at once. The phase tells the two apart, as the health check
 * for Argo CD in our guide does.
 */
function over(said: Said): Condition[] {
  return [
    { type: 'Ready', status: 'False', ...said },
    { type: 'Stalled', status: 'True', ...said },
  ]
}
