import { type Condition, carriedOver } from '@bourse/kube'
import type { ObjectEvent } from '../kubernetes/events.ts'
import type { Step } from '../peering/port/peering.ts'
import type { Entry } from './entries.ts'
import type { InstructionObject } from './instruction-object.ts'

/** The steps as conditions, with their transition times. */
export function conditionsOf(object: InstructionObject, steps: readonly Step[], nowMs: number) {
  const observedGeneration = object.metadata.generation ?? 0
  const now = new Date(nowMs).toISOString()
  const before = object.status?.conditions
  const conditions: Condition[] = steps.map((step) =>
    carriedOver({ ...step, observedGeneration }, before, now),
  )
  return { conditions, observedGeneration }
}

/** The step of an expired reservation, on either side. */
export function overStep({ terms }: Entry): Step {
  const message = `It expired at ${terms.expiresAt}`
  return { type: 'Ready', status: 'False', reason: 'Expired', message }
}

/** The requester's step after it gave up a reservation that is not released yet. */
export function givenBackStep({ terms }: Entry): Step {
  const message = `Given up here; ${terms.party} holds it until the broker answers`
  return { type: 'Ready', status: 'False', reason: 'GivenBack', message }
}

/** For an instruction made by hand, which belongs to no reservation. */
export const STRANGER: ObjectEvent = {
  type: 'Warning',
  reason: 'NotFromBroker',
  action: 'Ignore',
  note: 'This instruction belongs to no reservation of the broker and has no effect. Delete it.',
}
