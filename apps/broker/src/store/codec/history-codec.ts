import type { Reservation } from '@bourse/domain/ledger'
import type { DecisionRecord } from '../port/history.ts'
import { decodeResources, encodeResources, type Stored } from './amount-codec.ts'
import { decodeReservation } from './value-codec.ts'
import { decisionText, reservationText, withMember } from './value-text.ts'

export const encodeEnded: (reservation: Reservation) => string = reservationText

export const decodeEnded = (text: string): Reservation =>
  // The row's checksum has been verified: this is what `encodeEnded` wrote.
  decodeReservation(JSON.parse(text) as Stored<Reservation>)

export function encodeDecision(record: DecisionRecord): string {
  const { decision, ...rest } = record
  const { request } = rest
  const wanted = encodeResources(request.wanted)
  const text = JSON.stringify({ ...rest, request: { ...request, wanted } })
  return withMember(text, 'decision', decisionText(decision))
}

export function decodeDecision(text: string): DecisionRecord {
  // The row's checksum has been verified: this is what `encodeDecision` wrote.
  const stored = JSON.parse(text) as Stored<DecisionRecord>
  const { request } = stored
  return { ...stored, request: { ...request, wanted: decodeResources(request.wanted) } }
}
