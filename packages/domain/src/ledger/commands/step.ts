import { type Actor, signed } from '../state/actor.ts'
import type { LedgerEvent } from '../state/event.ts'
import type { State } from '../state/state.ts'

/** One command being decided: what it reads, and `emit`, the only way to change anything. */
export type Step = Readonly<{
  state: State
  now: number
  index: number
  term: string | undefined
  /** Absent: a cluster acts for itself. */
  actor?: Actor
  /** Applies the event at once: the next decision sees it. */
  emit(event: LedgerEvent): void
}>

/** The same step: every event that it emits names the actor. */
export function actingAs(actor: Actor, step: Step): Step {
  return { ...step, actor, emit: (event) => step.emit(signed(event, actor)) }
}
