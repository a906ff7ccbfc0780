import { phaseAfter } from '../../reservation/phases.ts'
import type { EndReason, Reservation } from '../../reservation/reservation.ts'
import type { LedgerEvent } from '../state/event.ts'
import type { Books } from '../state/state.ts'

/** One command being decided: what it may look at, and the one way to make something happen. */
export type Step = Readonly<{
  books: Books
  now: number
  index: number
  term: string | undefined
  /** Applies at once, so that whatever is decided next already sees it. */
  emit(event: LedgerEvent): void
}>

/** Ends a reservation, whatever the reason; undefined when its phase does not allow it. */
export function release(step: Step, reservation: Reservation, reason: EndReason) {
  const phase = phaseAfter(reservation.phase, 'release')
  if (!phase) return undefined
  const { now: at, index: changedIndex } = step
  const ended = { ...reservation, phase, reason, endedAt: at, changedIndex }
  // In use until a moment ago: pods may still run, so the room is not free before the provider
  // has seen the release.
  const draining = reservation.phase === 'Active'
  step.emit({ kind: 'released', at, reservation: ended, reason, draining })
  return ended
}
