import { type Reservation, spokenActor } from '@bourse/domain/ledger'

const endings = {
  Expired: 'It has expired',
  Released: 'Released on request',
  Withdrawn: 'Its provider withdrew',
  RequesterGone: 'Its requester had been silent for too long',
  Preempted: 'Made room for a request of higher priority',
} as const

/** How a reservation stands, in a sentence for people. */
export function messageOf(reservation: Reservation): string {
  const { phase, reason, legs } = reservation
  const where = legs.map(({ clusterId }) => clusterId).join(', ')
  switch (phase) {
    case 'Pending':
      return 'Waiting for capacity'
    case 'Reserved':
      return `Reserved on ${where}`
    case 'Active':
      return `In use on ${where}`
    case 'Released':
      return `${reason ? endings[reason] : 'Released'}${endedBy(reservation)}`
    case 'Failed':
      return 'No capacity was found'
  }
}

function endedBy({ endedBy: by, endedWhy: why }: Reservation): string {
  return `${by === undefined ? '' : ` by ${spokenActor(by)}`}${why === undefined ? '' : `: ${why}`}`
}
