import { type Clock, isTrue } from '@bourse/kube'
import type { BrokerClock } from '../broker/broker-clock.ts'
import type { Entry } from '../instructions/entries.ts'
import { isOver } from '../instructions/expiry.ts'
import type { InstructionObject } from '../instructions/instruction-object.ts'
import type { InstructionWork } from '../instructions/instruction-objects.ts'
import { conditionsOf, overStep } from '../instructions/instruction-status.ts'
import { amountsIn, spokenAmounts, type Terms } from '../instructions/terms.ts'
import type { ObjectEvent, ObjectEvents } from '../kubernetes/events.ts'
import { PROVIDER_INSTRUCTION } from '../kubernetes/kinds.ts'
import type { HeldReservation, Peering, Step } from '../peering/port/peering.ts'
import type { Log } from '../runtime/log.ts'

type Ports = Readonly<{
  peering: Peering
  brokerClock: BrokerClock
  log: Log
  objectEvents: ObjectEvents
  clock: Pick<Clock, 'now'>
}>

export function heldOf({ terms }: Entry): HeldReservation {
  const { id, party, amounts, expiresAt } = terms
  const endsAt = expiresAt === undefined ? undefined : Date.parse(expiresAt)
  return { id, requester: party, resources: amountsIn(amounts), expiresAt: endsAt }
}

/** Holds what was promised, for as long as it was promised. */
export function createProviderWork(ports: Ports): InstructionWork {
  const { peering, brokerClock, log, objectEvents, clock } = ports

  return {
    leavesTraces: peering.leavesTraces,
    async perform(entry, object, signal) {
      const said = (steps: readonly Step[]) => conditionsOf(object, steps, clock.now())
      if (isOver(entry, brokerClock))
        return { status: { enforced: false, ...said([overStep(entry)]) } }
      const { steps, againAfterMs } = await peering.lend(heldOf(entry), signal)
      const wasReady = isTrue(object.status?.conditions, 'Ready')
      if (!wasReady) tell(entry, object)
      return { status: { enforced: true, ...said([held(entry), ...steps]) }, againAfterMs }
    },
    undo: (entry, signal) => peering.takeBack(heldOf(entry), signal),
  }

  function tell({ terms }: Entry, object: InstructionObject): void {
    const { id: reservation, party: requester } = terms
    log.info({ requester, reservation }, 'provider instruction enforced')
    objectEvents.tell(PROVIDER_INSTRUCTION, object, providerEvents.held(terms))
  }
}

function held({ terms }: Entry): Step {
  const message = `${spokenAmounts(terms.amounts)} held for ${terms.party}`
  return { type: 'Ready', status: 'True', reason: 'Enforced', message }
}

/** Kubernetes Events at the provider about a reservation. */
export const providerEvents = {
  held: (terms: Terms): ObjectEvent => normal('Held', 'Hold', `${sentenceOf(terms)}.`),
  changed: (terms: Terms): ObjectEvent => normal('Changed', 'Hold', `Now ${sentenceOf(terms)}.`),
  ended: (requester: string | undefined): ObjectEvent =>
    normal('Ended', 'Release', `This reservation of ${requester} has ended.`),
}

function sentenceOf({ amounts, party, expiresAt }: Terms): string {
  const end = expiresAt === undefined ? 'until it is released' : `until ${expiresAt}`
  return `${spokenAmounts(amounts)} held for ${party} ${end}`
}

function normal(reason: string, action: string, note: string): ObjectEvent {
  return { type: 'Normal', reason, action, note }
}
