import type { Stamp } from '@bourse/client'
import type { Reservation } from '@bourse/contract'
import type { Condition } from '@bourse/kube'
import type { BrokerClock } from '../broker/broker-clock.ts'
import type { Entry } from '../instructions/entries.ts'
import type { InstructionKeeper } from '../instructions/instruction-keeper.ts'
import type { InstructionObjects } from '../instructions/instruction-objects.ts'
import { ledgerOf } from '../instructions/ledger-standing.ts'

/** The reservations of this requester, as ResourceRequests use them. */
export type RequesterReservations = ReturnType<typeof createRequesterReservations>

type Ports = Readonly<{
  keeper: InstructionKeeper
  objects: InstructionObjects
  brokerClock: BrokerClock
  confirmed(): string | undefined
}>

/** domain: `rsv-<first five of the ledger's id>-<term>-<number>`; older ids have no term. */
const OWN_ID = /^rsv-([0-9a-z]{5})(?:-[0-9a-z]+)?-[0-9a-z]+$/

export function createRequesterReservations({ keeper, objects, brokerClock, confirmed }: Ports) {
  return {
    find(uid: string, name: string | undefined): Entry | undefined {
      return (name === undefined ? undefined : keeper.get(name)) ?? keeper.byRequestId(uid)
    },
    isComplete: keeper.isComplete,
    /** Whether another ledger granted it than the one that answers now, or gave this answer. */
    isElsewhere(id: string, { ledgerId = ledgerOf(keeper.standing()) }: Stamp = {}): boolean {
      if (ledgerId === undefined || ledgerId === confirmed()) return false
      const entry = keeper.get(id)
      if (entry) return entry.ledgerId !== undefined && entry.ledgerId !== ledgerId
      const prefix = OWN_ID.exec(id)?.[1]
      return prefix !== undefined && !ledgerId.startsWith(prefix)
    },
    /** Resolves when its instruction is written. */
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
    /** Undoes its peering; false while that is in progress. */
    withdraw: objects.withdraw,
    /** Deletes its instruction, once the broker has released it. */
    discard: objects.discard,
    /** The progress of its peering. */
    stepsOf(id: string): readonly Condition[] {
      const conditions = objects.statusOf(id)?.conditions ?? []
      return conditions.filter(({ type }) => type !== 'Ready')
    },
    brokerNow: brokerClock.now,
  }
}

/** Whether the broker holds it, by its last answer. */
export function isLive(entry: Entry | undefined): boolean {
  return entry?.reservation !== undefined && !isEnded(entry.reservation)
}

function isEnded({ status }: Reservation): boolean {
  return status.phase === 'Released' || status.phase === 'Failed'
}
