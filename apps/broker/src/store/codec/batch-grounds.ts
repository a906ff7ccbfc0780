import type { LedgerEvent, Reservation } from '@bourse/domain/ledger'
import type { DecisionRecord } from '../port/history.ts'
import type { Head, SealedBatch } from '../port/journal.ts'
import { eventLines } from './batch.ts'
import { decodeEvent } from './event-codec.ts'

/** What a batch says about grounds: those it has, and of whom they may not be wanted any more. */
export type BatchGrounds = Readonly<{
  decisions: readonly DecisionRecord[]
  /** Ids of reservations. */
  ended: readonly string[]
}>

/** Our JSON has no blanks. A line that only looks so is read in vain, and none is missed. */
const TELLING = /"kind":"(?:reserved|released|drained)"/

/** Proves that a batch is whole and follows `before`, and reads only the lines that matter here. */
export function groundsIn(sealed: SealedBatch, before: Head): BatchGrounds {
  const decisions: DecisionRecord[] = []
  const ended: string[] = []
  for (const line of eventLines(sealed, before)) {
    if (!TELLING.test(line)) continue
    const event = decodeEvent(line)
    if (event.kind === 'reserved') decisions.push(decisionOf(event, sealed.index))
    const end = endedBy(event)
    if (end) ended.push(end.id)
  }
  return { decisions, ended }
}

/** The grounds of one reservation. Verifies the batch's own hash, without the batches before it. */
export function decisionIn(sealed: SealedBatch, reservationId: string): DecisionRecord | undefined {
  const before = { index: sealed.index - 1, hash: sealed.previous }
  const quoted = JSON.stringify(reservationId)
  for (const line of eventLines(sealed, before)) {
    if (!line.includes(quoted)) continue
    const event = decodeEvent(line)
    if (event.kind === 'reserved' && event.reservation.id === reservationId)
      return decisionOf(event, sealed.index)
  }
  return undefined
}

type Reserved = Extract<LedgerEvent, { kind: 'reserved' }>

/** The grounds of a decision, as the event that made it has them. */
export function decisionOf({ at, reservation, decision }: Reserved, index: number): DecisionRecord {
  const { id: reservationId, requester, wanted, pinned, oneNode } = reservation
  const request = {
    requester,
    wanted,
    ...(pinned !== undefined && { pinned }),
    ...(oneNode && { oneNode }),
  }
  return { reservationId, index, at, request, decision }
}

/** What belongs to the history from this event on, if it ends anything. */
export function endedBy(event: LedgerEvent): Reservation | undefined {
  // Several providers may still hold what drains: then memory keeps it until the last of these.
  const isEnd = event.kind === 'drained' || (event.kind === 'released' && !event.draining)
  return isEnd ? event.reservation : undefined
}
