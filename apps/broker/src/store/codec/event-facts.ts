import type { LedgerEvent, Reservation } from '@bourse/domain/ledger'
import type { DecisionRecord } from '../port/history.ts'

type Reserved = Extract<LedgerEvent, { kind: 'reserved' }>

/** The grounds of a decision, as the event that made it has them. */
export function decisionOf({ at, reservation, decision }: Reserved, index: number): DecisionRecord {
  const { id: reservationId, requester, wanted, pinned } = reservation
  const request = { requester, wanted, ...(pinned !== undefined && { pinned }) }
  return { reservationId, index, at, request, decision }
}

/** What belongs to the history from this event on, if it ends anything. */
export function endedBy(event: LedgerEvent): Reservation | undefined {
  // Several providers may still hold what drains: then memory keeps it until the last of these.
  const isEnd = event.kind === 'drained' || (event.kind === 'released' && !event.draining)
  return isEnd ? event.reservation : undefined
}
