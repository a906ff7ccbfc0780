import type { LedgerEvent } from '@bourse/domain/ledger'
import type { Stored } from './amount-codec.ts'
import { decisionText, withMember } from './decision-text.ts'
import {
  decodeAdvertisement,
  decodeReservation,
  encodeAdvertisement,
  encodeReservation,
} from './value-codec.ts'

/**
 * The format of events, which is also the format of the batch that carries them. A change that an
 * older reader would misread takes the next number, and `decodeEvent` learns to read both.
 */
export const EVENT_VERSION = 2

/** Each batch says the oldest format that can read it: who never peers may still go back to 0.1. */
export function versionOf(events: readonly LedgerEvent[]): number {
  return events.some(isOfPeering) ? 2 : 1
}

function isOfPeering({ kind }: LedgerEvent): boolean {
  return kind.startsWith('peering')
}

/** One event, one line of JSON. */
export function encodeEvent(event: LedgerEvent): string {
  if (event.kind !== 'reserved') return JSON.stringify(storedEvent(event))
  const { kind, at, reservation, decision } = event
  const text = JSON.stringify({ kind, at, reservation: encodeReservation(reservation) })
  return withMember(text, 'decision', decisionText(decision))
}

/** Reads a line of its own version or the previous one, which had no peerings. */
export function decodeEvent(line: string): LedgerEvent {
  // The line's hash has been verified: it is what an `encodeEvent` wrote.
  const stored = JSON.parse(line) as Stored<LedgerEvent>
  switch (stored.kind) {
    case 'advertised':
      return { ...stored, advertisement: decodeAdvertisement(stored.advertisement) }
    case 'reserved':
      return { ...stored, reservation: decodeReservation(stored.reservation) }
    case 'activated':
    case 'renewed':
    case 'drained':
      return { ...stored, reservation: decodeReservation(stored.reservation) }
    case 'released':
      return { ...stored, reservation: decodeReservation(stored.reservation) }
    case 'founded':
    case 'staled':
    case 'returned':
    case 'acceptingChanged':
    case 'decommissioned':
    case 'heard':
    case 'tombstoned':
    case 'peeringOpened':
    case 'peeringPosted':
    case 'peeringTroubled':
    case 'peeringClosed':
      return stored
    default:
      throw new UnknownEvent(stored)
  }
}

/** A newer broker wrote this within a version we read: that is a bug of that broker. */
class UnknownEvent extends Error {
  override readonly name = 'UnknownEvent'
  constructor(stored: never) {
    const { kind } = stored as { kind?: unknown }
    super(`An event of kind ${JSON.stringify(kind)} is unknown to this version of the broker`)
  }
}

type Plain = Exclude<LedgerEvent, { kind: 'reserved' }>

function storedEvent(event: Plain): Stored<Plain> {
  if (event.kind === 'advertised')
    return { ...event, advertisement: encodeAdvertisement(event.advertisement) }
  if (!('reservation' in event)) return event
  return { ...event, reservation: encodeReservation(event.reservation) } as Stored<Plain>
}
