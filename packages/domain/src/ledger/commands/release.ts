import { phaseAfter } from '../../reservation/phases.ts'
import { BURIED, type EndReason, type Reservation } from '../../reservation/reservation.ts'
import { actorText } from '../state/actor.ts'
import { type CommandOf, isBuried } from './command.ts'
import type { Outcome } from './outcome.ts'
import type { Step } from './step.ts'

export function releaseById(step: Step, { id, reason }: CommandOf<'release'>): Outcome {
  const reservation = step.state.reservations.get(id)
  if (!reservation) return { kind: 'missing' }
  const ended = release(step, reservation, reason ?? 'Released')
  return ended ? { kind: 'changed', reservation: ended } : { kind: 'unchanged', reservation }
}

/** Also works before the request has arrived: a late request with this id is refused. */
export function releaseByRequest(step: Step, command: CommandOf<'releaseRequest'>): Outcome {
  const { state, now: at } = step
  const { door, requester, requestId, remembered } = command
  const scope = { door, requester, requestId }
  const number = state.requestIds.reservationOf(scope)
  const held = number === undefined ? undefined : state.reservations.at(number)
  const ended = held && release(step, { ...held, fingerprint: BURIED }, 'Released')
  if (ended) return { kind: 'changed', reservation: ended }

  const onDisk = remembered?.kind === 'granted' ? remembered.reservation : undefined
  const known = held ?? onDisk
  const wasReleased =
    state.requestIds.isTombstoned(scope) || isBuried(remembered) || held?.fingerprint === BURIED
  if (!wasReleased) step.emit({ kind: 'tombstoned', at, ...scope })
  return known ? { kind: 'unchanged', reservation: known } : { kind: 'tombstoned' }
}

/** Ends a reservation. Undefined: its phase does not allow it. */
export function release(step: Step, reservation: Reservation, reason: EndReason) {
  const phase = phaseAfter(reservation.phase, 'release')
  if (!phase) return undefined
  const { now: at, index: changedIndex } = step
  const ended = { ...reservation, phase, reason, endedAt: at, changedIndex, ...endedBy(step) }
  // Pods of an active one may still run: the room is free once the provider has seen the release.
  const draining = reservation.phase === 'Active'
  const waited = reservation.phase === 'Pending' ? { waited: true as const } : {}
  step.emit({ kind: 'released', at, reservation: ended, reason, draining, ...waited })
  return ended
}

/** Named where it was neither its requester, nor its own object, nor the broker for a reason. */
function endedBy({ actor }: Step): Pick<Reservation, 'endedBy' | 'endedWhy'> {
  if (!actor || actor.kind === 'system') return {}
  const { kind, why } = actor
  const isOther = kind !== 'cluster' && kind !== 'object'
  return {
    ...(isOther && { endedBy: actorText(actor) }),
    ...(why !== undefined && { endedWhy: why }),
  }
}
