import { type Condition, carriedOver } from '@bourse/kube'
import type { ObjectEvent } from '../kubernetes/events.ts'
import type { Step } from '../peering/port/peering.ts'
import type { Entry } from './instruction-book.ts'
import type { InstructionObject } from './instruction-object.ts'

/** The steps as conditions, with the moment since when each of them is so. */
export function conditionsOf(object: InstructionObject, steps: readonly Step[], nowMs: number) {
  const observedGeneration = object.metadata.generation ?? 0
  const now = new Date(nowMs).toISOString()
  const before = object.status?.conditions
  const conditions: Condition[] = steps.map((step) =>
    carriedOver({ ...step, observedGeneration }, before, now),
  )
  return { conditions, observedGeneration }
}

/** What either side says once the promised time has passed. */
export function overStep({ terms }: Entry): Step {
  const message = `Its time was over at ${terms.expiresAt}`
  return { type: 'Ready', status: 'False', reason: 'Expired', message }
}

/** What the requester's side says while the broker does not know yet that it was given up. */
export function givenBackStep({ terms }: Entry): Step {
  const message = `Given up here; ${terms.party} holds it until the broker answers`
  return { type: 'Ready', status: 'False', reason: 'GivenBack', message }
}

/** Somebody made an instruction by hand: nothing stands behind it, and nothing is done about it. */
export const STRANGER: ObjectEvent = {
  type: 'Warning',
  reason: 'NotFromBroker',
  action: 'Ignore',
  note: 'No reservation of the broker stands behind it: it counts for nothing. Delete it.',
}
