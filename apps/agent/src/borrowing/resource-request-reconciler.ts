import type { BrokerCommunicator, ReservationOutcome } from '@bourse/client'
import type { Reservation } from '@bourse/contract'
import type { ResourceRequestStatus } from '@bourse/contract/kinds'
import { backoffMs, type Clock, isBeingDeleted, type Next } from '@bourse/kube'
import { answerOrTrouble, isTrouble, type Trouble } from './broker-trouble.ts'
import { isLive, type RequesterReservations } from './requester-reservations.ts'
import {
  durationOf,
  generationOf,
  isEdited,
  isFinished,
  type ResourceRequest,
  toReservationRequest,
  uidOf,
} from './resource-request.ts'
import type { Deletion } from './resource-request-deletion.ts'
import {
  endedStatus,
  pendingStatus,
  reservationStatus,
  type Said,
  type Showing,
} from './resource-request-status.ts'

type Ports = Readonly<{
  broker: Pick<BrokerCommunicator, 'requestReservation' | 'renew' | 'getReservation'>
  reservations: RequesterReservations
  objects: Readonly<{
    /** Adds and removes our finalizer. Both may be repeated. */
    protect(request: ResourceRequest): Promise<ResourceRequest>
    unprotect(request: ResourceRequest): Promise<void>
  }>
  deletion: Deletion
  clock: Pick<Clock, 'now' | 'random'>
}>

type Outcome = Next<ResourceRequestStatus>

const BACKOFF = { baseMs: 1_000, capMs: 30_000 }

/**
 * Turns a user's ResourceRequest into a reservation, and shows its state.
 *
 *   made ──► finalizer ──► reserve ──► ReservationInstruction ──► status
 *   edited: renew · over: status, finalizer off · deleted: give back, release, finalizer off
 *
 * A crash between any two of these repeats a step and never skips one.
 */
export function createResourceRequestReconciler(ports: Ports) {
  const { broker, reservations, objects, deletion, clock } = ports
  const failures = new Map<string, number>()
  /** By uid: the generation that the last renewal was for. */
  const renewals = new Map<string, number>()

  return { reconcile, forget }

  function forget(uid: string): void {
    failures.delete(uid)
    renewals.delete(uid)
  }

  async function reconcile(request: ResourceRequest): Promise<Outcome> {
    if (isBeingDeleted(request)) return deletion(request)
    const { reservationName } = request.status ?? {}
    const entry = reservations.find(uidOf(request), reservationName)
    if (isFinished(request) && !isLive(entry)) return settle(request)
    if (entry?.reservation) return follow(request, entry.reservation)
    // Known from its instruction after a restart; the broker has not reported it yet.
    if (entry) return {}
    return reservationName === undefined ? ask(request) : lookUp(request, reservationName)
  }

  async function ask(request: ResourceRequest): Promise<Outcome> {
    // The finalizer first: after the answer there is something to release.
    const safe = await objects.protect(request)
    const answer = await answerOrTrouble(broker.requestReservation(toReservationRequest(safe)))
    switch (answer.kind) {
      case 'trouble':
        return answer.reason === 'RequestIdReused' ? askedBefore(safe, answer) : wait(safe, answer)
      case 'reserved':
      case 'waiting':
        return granted(safe, answer)
      case 'refused':
        return end(safe, 'Failed', { reason: 'NoClusterFits', message: answer.message })
      case 'tombstoned':
        return end(safe, 'Released', { reason: 'Released', message: answer.message })
    }
  }

  type Granted = Extract<ReservationOutcome, { reservation: Reservation }>

  async function granted(request: ResourceRequest, answer: Granted): Promise<Outcome> {
    failures.delete(uidOf(request))
    // Instruction before status: a crash in between repeats the step, and never skips it.
    await reservations.noteGrant(answer.reservation, answer)
    return show(request, answer.reservation)
  }

  /** The answer was lost and the duration edited since: it is found by its id, and renewed. */
  function askedBefore(request: ResourceRequest, trouble: Trouble): Outcome {
    if (reservations.isComplete()) return end(request, 'Failed', trouble)
    return wait(request, { ...trouble, isFinal: false }, request.status?.observedGeneration ?? 1)
  }

  async function follow(request: ResourceRequest, reservation: Reservation): Promise<Outcome> {
    failures.delete(uidOf(request))
    const safe = await objects.protect(request)
    const duration = durationOf(safe)
    // Our own status may not be visible yet, and a second renewal would start at a later moment.
    const isRenewed = renewals.get(uidOf(safe)) === generationOf(safe)
    if (!isEdited(safe) || isRenewed || duration === undefined) return show(safe, reservation)
    const renewed = await answerOrTrouble(broker.renew(reservation.id, duration))
    if (!isTrouble(renewed)) {
      renewals.set(uidOf(safe), generationOf(safe))
      reservations.noteChange(renewed)
      return show(safe, renewed)
    }
    if (renewed.isFinal) return show(safe, reservation, { problem: renewed })
    const observed = safe.status?.observedGeneration ?? 1
    return { ...show(safe, reservation, { observed, problem: renewed }), ...later(safe, renewed) }
  }

  /** It was granted once, and is not among the live reservations of the broker. */
  async function lookUp(request: ResourceRequest, name: string): Promise<Outcome> {
    if (!reservations.isComplete() || reservations.isElsewhere(name)) return {}
    const found = await answerOrTrouble(broker.getReservation(name))
    if (!isTrouble(found)) return remembered(request, found)
    const { expiresAt } = request.status ?? {}
    if (expiresAt !== undefined && reservations.brokerNow() >= Date.parse(expiresAt))
      return end(request, 'Released', { reason: 'Expired', message: 'The reservation has expired' })
    return found.isFinal ? end(request, 'Released', FORGOTTEN) : later(request, found)
  }

  function remembered(request: ResourceRequest, reservation: Reservation): Outcome {
    const { phase } = reservation.status
    if (phase !== 'Released' && phase !== 'Failed') reservations.noteChange(reservation)
    return show(request, reservation)
  }

  /** Nothing is held any more: the object may be deleted at any time. */
  async function settle(request: ResourceRequest): Promise<Outcome> {
    failures.delete(uidOf(request))
    await objects.unprotect(request)
    const { status } = request
    if (!status || status.observedGeneration === generationOf(request)) return {}
    return { status: { ...status, observedGeneration: generationOf(request) } }
  }

  function show(
    request: ResourceRequest,
    reservation: Reservation,
    more: Partial<Showing> = {},
  ): Outcome {
    const steps = reservations.stepsOf(reservation.id)
    return { status: reservationStatus(request, reservation, { ...at(), steps, ...more }) }
  }

  function end(request: ResourceRequest, phase: 'Failed' | 'Released', said: Said): Outcome {
    const { reason, message } = said
    return { status: endedStatus(request, { phase, reason, message }, at()) }
  }

  function wait(request: ResourceRequest, trouble: Trouble, observed?: number): Outcome {
    if (trouble.isFinal) return end(request, 'Failed', trouble)
    const { reason, message } = trouble
    const status = pendingStatus(request, { reason, message }, { ...at(), observed })
    return { status, ...later(request, trouble) }
  }

  function later(request: ResourceRequest, { retryAfterMs = 0 }: Trouble) {
    const attempts = (failures.get(uidOf(request)) ?? 0) + 1
    failures.set(uidOf(request), attempts)
    return { againAfterMs: Math.max(retryAfterMs, backoffMs(attempts, BACKOFF, clock.random())) }
  }

  function at(): Showing {
    return { now: new Date(clock.now()).toISOString() }
  }
}

const FORGOTTEN: Said = {
  reason: 'Forgotten',
  message:
    'The broker no longer knows this reservation: it ended, or was lost with an earlier ledger',
}
