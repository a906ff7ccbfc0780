import { phaseAfter } from '../../reservation/phases.ts'
import type { Reservation } from '../../reservation/reservation.ts'
import type { CommandOf } from './command.ts'
import type { Outcome } from './outcome.ts'
import type { Step } from './step.ts'

/** Sets a new duration, counted from now. A withdrawn provider still ends it at `withdrawnAt`. */
export function renew(step: Step, command: CommandOf<'renew'>): Outcome {
  const { id, durationMs, fingerprint } = command
  const reservation = step.state.reservations.get(id)
  if (!reservation) return { kind: 'missing' }
  const phase = phaseAfter(reservation.phase, 'renew')
  if (!phase) return { kind: 'wrongPhase', reservation }

  const { now: at, index: changedIndex } = step
  const renewed: Reservation = {
    ...reservation,
    phase,
    expiresAt: at + durationMs,
    ...(fingerprint !== undefined && { fingerprint }),
    changedIndex,
  }
  step.emit({ kind: 'renewed', at, reservation: renewed })
  return { kind: 'changed', reservation: renewed }
}
