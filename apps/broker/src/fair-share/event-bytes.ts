import { PEERING_STEPS_OF } from '@bourse/contract/peering-steps'
import type { LedgerEvent } from '@bourse/domain/ledger'

export type WrittenBatch = Readonly<{ events: readonly LedgerEvent[]; text: string }>

/**
 * How many bytes of a batch follow a cluster's request: the line of each event, and its share of the
 * header, as a batch may have a single event.
 */
export function forEachWriter(
  { events, text }: WrittenBatch,
  tell: (clusterId: string, bytes: number) => void,
): void {
  // Counted once for all: nearly always every character is a byte.
  const isAscii = Buffer.byteLength(text) === text.length
  let start = text.indexOf('\n') + 1
  const headerShare = Math.ceil(start / events.length)
  for (const event of events) {
    const newline = text.indexOf('\n', start)
    const end = newline === -1 ? text.length : newline
    const writer = writerOf(event)
    if (writer !== undefined) {
      const bytes = isAscii ? end - start : Buffer.byteLength(text.slice(start, end))
      tell(writer, bytes + headerShare)
    }
    start = end + 1
  }
}

/** Whose request an event follows; undefined for what the broker does by itself. */
function writerOf(event: LedgerEvent): string | undefined {
  switch (event.kind) {
    case 'advertised':
    case 'acceptingChanged':
    case 'decommissioned':
      return event.clusterId
    case 'tombstoned':
    case 'peeringOpened':
    case 'peeringClosed':
      return event.requester
    case 'peeringTroubled':
      return event[event.role]
    case 'peeringPosted':
      return PEERING_STEPS_OF.requester.includes(event.step) ? event.requester : event.provider
    default:
      return 'reservation' in event ? event.reservation.requester : undefined
  }
}
