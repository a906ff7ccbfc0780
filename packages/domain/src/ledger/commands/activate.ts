import { phaseAfter } from '../../reservation/phases.ts'
import type { Reservation } from '../../reservation/reservation.ts'
import type { CommandOf } from './command.ts'
import type { Outcome } from './outcome.ts'
import type { Step } from './step.ts'

/** The requester confirms that it uses what it reserved. */
export function activate(step: Step, { id }: CommandOf<'activate'>): Outcome {
  const reservation = step.state.reservations.get(id)
  if (!reservation) return { kind: 'missing' }
  if (reservation.phase === 'Active') return { kind: 'unchanged', reservation }
  const phase = phaseAfter(reservation.phase, 'activate')
  if (!phase) return { kind: 'wrongPhase', reservation }

  const { now: at, index: changedIndex } = step
  const active: Reservation = { ...reservation, phase, activatedAt: at, changedIndex }
  step.emit({ kind: 'activated', at, reservation: active })
  return { kind: 'changed', reservation: active }
}
