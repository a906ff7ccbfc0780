import type { Stamp } from '@bourse/client'
import type { Reservation } from '@bourse/contract'
import type { Condition } from '@bourse/kube'
import type { BrokerClock } from '../broker/broker-clock.ts'
import type { Entry } from '../instructions/instruction-book.ts'
import type { InstructionKeeper } from '../instructions/instruction-keeper.ts'
import type { InstructionObjects } from '../instructions/instruction-objects.ts'
import { ledgerOf } from '../instructions/ledger-standing.ts'

/** What a ResourceRequest must know of, and tell, the book of reservations. */
export type RequesterBook = ReturnType<typeof createRequesterBook>

type Ports = Readonly<{
  keeper: InstructionKeeper
  objects: InstructionObjects
  brokerClock: BrokerClock
  confirmed(): string | undefined
}>

/** domain: `rsv-<first five of the ledger's id>-<term>-<number>`; older ids have no term. */
const OWN_ID = /^rsv-([0-9a-z]{5})(?:-[0-9a-z]+)?-[0-9a-z]+$/

export function createRequesterBook({ keeper, objects, brokerClock, confirmed }: Ports) {
  return {
    find(uid: string, name: string | undefined): Entry | undefined {
      return (name === undefined ? undefined : keeper.get(name)) ?? keeper.byRequestId(uid)
    },
    isComplete: keeper.isComplete,
    /** Whether it was granted by another ledger than the one that answers now, or answered so. */
    isElsewhere(id: string, { ledgerId = ledgerOf(keeper.standing()) }: Stamp = {}): boolean {
      if (ledgerId === undefined || ledgerId === confirmed()) return false
      const entry = keeper.get(id)
      if (entry) return entry.ledgerId !== undefined && entry.ledgerId !== ledgerId
      const mark = OWN_ID.exec(id)?.[1]
      return mark !== undefined && !ledgerId.startsWith(mark)
    },
    /** Resolves when the instruction that follows from it is written. */
    async noteGrant(reservation: Reservation, stamp: Stamp): Promise<void> {
      if (isEnded(reservation)) return
      brokerClock.heard(stamp.brokerTimeOffsetMs)
      keeper.takeOne(reservation, stamp)
      const entry = keeper.get(reservation.id)
      if (entry?.isGranted) await objects.ensure(entry)
    },
    noteChange(reservation: Reservation): void {
      const standing = keeper.standing()
      const ledgerId =
        keeper.get(reservation.id)?.ledgerId ??
        (standing.kind === 'followed' ? standing.ledgerId : undefined)
      const { index } = reservation
      keeper.takeOne(reservation, { ...(ledgerId !== undefined && { ledgerId }), index })
    },
    noteEnd: (id: string, stamp: Stamp): void => keeper.forget(id, stamp),
    /** Takes back what was made of it here; false while that is under way. */
    withdraw: objects.withdraw,
    /** Its instruction goes: the broker has released what was withdrawn. */
    discard: objects.discard,
    /** How far its peering is. */
    stepsOf(id: string): readonly Condition[] {
      const conditions = objects.statusOf(id)?.conditions ?? []
      return conditions.filter(({ type }) => type !== 'Ready')
    },
    brokerNow: brokerClock.now,
  }
}

/** Whether the broker holds it, as far as it has told; what a hand wrote does not count. */
export function isLive(entry: Entry | undefined): boolean {
  return entry?.reservation !== undefined && !isEnded(entry.reservation)
}

function isEnded({ status }: Reservation): boolean {
  return status.phase === 'Released' || status.phase === 'Failed'
}
