import { type BrokerCommunicator, isUnsupported } from '@bourse/client'
import type { Reservation } from '@bourse/contract'
import { type Clock, ignoring } from '@bourse/kube'
import type { BrokerClock } from '../broker/broker-clock.ts'
import type { Entry } from '../instructions/entries.ts'
import { isOver } from '../instructions/expiry.ts'
import type { InstructionObject } from '../instructions/instruction-object.ts'
import type { InstructionWork } from '../instructions/instruction-objects.ts'
import { conditionsOf, overStep } from '../instructions/instruction-status.ts'
import type {
  BorrowedReservation,
  BorrowingProgress,
  Peering,
  Step,
} from '../peering/port/peering.ts'

type Ports = Readonly<{
  broker: Pick<BrokerCommunicator, 'activate'>
  peering: Peering
  brokerClock: BrokerClock
  onActive(reservation: Reservation): void
  clock: Pick<Clock, 'now'>
}>

function borrowedOf({ terms }: Entry, object?: InstructionObject): BorrowedReservation {
  const { id, party, endpoint, amounts, expiresAt } = terms
  const endsAt = expiresAt === undefined ? undefined : Date.parse(expiresAt)
  const { offload } = object?.spec ?? {}
  return { id, provider: party, endpoint, resources: amounts, expiresAt: endsAt, offload }
}

/** Makes a reservation usable here, and activates it at the broker. */
export function createRequesterWork(ports: Ports): InstructionWork {
  const { broker, peering, brokerClock, onActive, clock } = ports

  return {
    leavesTraces: peering.leavesTraces,
    async perform(entry, object, signal) {
      const said = (steps: readonly Step[]) => conditionsOf(object, steps, clock.now())
      if (isOver(entry, brokerClock))
        return { status: { delivered: false, ...said([overStep(entry)]) } }
      const progress = await peering.borrow(borrowedOf(entry, object), signal)
      if (progress.isUsable && entry.reservation?.status.phase === 'Reserved') {
        const active = await ignoring(isUnsupported, broker.activate(entry.terms.id))
        if (active) onActive(active)
      }
      const steps = [readiness(entry, progress), ...progress.steps]
      const { isDone: delivered, againAfterMs } = progress
      return { status: { delivered, ...said(steps) }, againAfterMs }
    },
    undo: (entry, signal) => peering.giveBack(borrowedOf(entry), signal),
  }
}

function readiness({ terms }: Entry, { isDone, steps }: BorrowingProgress): Step {
  if (isDone)
    return { type: 'Ready', status: 'True', reason: 'Delivered', message: `Use ${terms.party}` }
  const stuck = steps.find(({ status }) => status !== 'True')
  const message = stuck?.message ?? `Connecting to ${terms.party}`
  return { type: 'Ready', status: 'False', reason: stuck?.reason ?? 'Peering', message }
}
