import type { Reservation } from '@bourse/domain/ledger'

const endings = {
  Expired: 'Its time was over',
  Released: 'Released on request',
  Withdrawn: 'Its provider withdrew',
  RequesterGone: 'Its requester had been silent for too long',
  Preempted: 'Made room for a request of higher priority',
} as const

/** How a reservation stands, in a sentence for people. */
export function messageOf({ phase, reason, legs }: Reservation): string {
  const where = legs.map(({ clusterId }) => clusterId).join(', ')
  switch (phase) {
    case 'Pending':
      return 'Waiting for capacity'
    case 'Reserved':
      return `Reserved on ${where}`
    case 'Active':
      return `In use on ${where}`
    case 'Released':
      return reason ? endings[reason] : 'Released'
    case 'Failed':
      return 'No capacity was found'
  }
}
