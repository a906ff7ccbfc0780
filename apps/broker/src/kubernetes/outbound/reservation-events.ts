import type { ReservationStatus } from '@bourse/contract/kinds'
import type { EventNote } from '@bourse/kube'

type ObjectEvent = Pick<EventNote, 'type' | 'reason' | 'action' | 'note'>

/** What happened between two statuses, as `kubectl describe` tells it; undefined: nothing. */
export function eventOf(
  before: ReservationStatus,
  after: ReservationStatus,
): ObjectEvent | undefined {
  const { message: note = '', phase } = after
  if (phase === before.phase) {
    const isRenewed = before.expiresAt !== after.expiresAt
    return isRenewed ? normal('Renewed', 'Renew', `Lasts until ${after.expiresAt}`) : undefined
  }
  switch (phase) {
    case 'Reserved':
      return normal('Reserved', 'Reserve', untilOf(note, after))
    case 'Active':
      return normal('Activated', 'Activate', note)
    case 'Released':
      // It asked for nothing: there is nothing to report.
      if (before.phase === undefined) return undefined
      return normal(after.reason ?? 'Released', 'Release', note)
    case 'Failed':
      return { type: 'Warning', reason: after.reason ?? 'Failed', action: 'Reserve', note }
    default:
      return undefined
  }
}

function untilOf(note: string, { expiresAt }: ReservationStatus): string {
  return expiresAt === undefined ? note : `${note} until ${expiresAt}`
}

function normal(reason: string, action: string, note: string): ObjectEvent {
  return { type: 'Normal', reason, action, note }
}
