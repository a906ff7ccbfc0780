import type { LedgerEvent } from '@bourse/domain/ledger'
import type { Stored } from './amount-codec.ts'
import { formatOf } from './fields.ts'
import { decodeAdvertisement, decodeReservation, encodeAdvertisement } from './value-codec.ts'
import { decisionText, reservationText, withMember } from './value-text.ts'

/**
 * The format of events, which is also the format of the batch that carries them. A change that an
 * older reader would misread takes the next number, and `decodeEvent` learns to read all of them.
 */
export const EVENT_VERSION = 3

/**
 * Each batch says the oldest format that can read it: a ledger without peerings can go back to 0.1.
 */
export function versionOf(events: readonly LedgerEvent[]): number {
  return events.reduce((version, event) => Math.max(version, oldestFor(event)), 1)
}

function oldestFor(event: LedgerEvent): number {
  if (event.kind === 'released' && event.waited) return 3
  if ('reservation' in event) return formatOf(event.reservation)
  return event.kind.startsWith('peering') ? 2 : 1
}

/** One event, one line of JSON. */
export function encodeEvent(event: LedgerEvent): string {
  if (event.kind === 'advertised')
    return JSON.stringify({ ...event, advertisement: encodeAdvertisement(event.advertisement) })
  if (!('reservation' in event)) return JSON.stringify(event)
  if (event.kind !== 'reserved') return changeText(event)
  const { kind, at, reservation, decision, by, why } = event
  const grounds = decisionText(decision)
  const signature = by === undefined && why === undefined ? '' : signatureText({ by, why })
  // In one go: to cut a long text that is made of parts, they are copied into one first.
  return `{"kind":"${kind}","at":${at},"reservation":${reservationText(reservation)},"decision":${grounds}${signature}}`
}

function signatureText(signature: Readonly<{ by: string | undefined; why: string | undefined }>) {
  return `,${JSON.stringify(signature).slice(1, -1)}`
}

/** Reads a line of any version up to its own; the first had no peerings, the second no `endedBy`. */
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

type Change = Exclude<Extract<LedgerEvent, { reservation: unknown }>, { kind: 'reserved' }>

function changeText({ reservation, ...rest }: Change): string {
  return withMember(JSON.stringify(rest), 'reservation', reservationText(reservation))
}
