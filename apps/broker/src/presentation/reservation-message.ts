import { type Reservation, spokenActor } from '@bourse/domain/ledger'
import { largestNodeSentence } from '@bourse/domain/placement'

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
      return `Reserved on ${where}${warningOf(reservation)}`
    case 'Active':
      return `In use on ${where}${warningOf(reservation)}`
    case 'Released':
      return `${reason ? endings[reason] : 'Released'}${endedBy(reservation)}`
    case 'Failed':
      return 'No capacity was found'
  }
}

function warningOf({ largestNode, isNodeRounded }: Reservation): string {
  return largestNode
    ? `; ${largestNodeSentence(largestNode, { isRounded: isNodeRounded === true })}`
    : ''
}

function endedBy({ endedBy: by, endedWhy: why }: Reservation): string {
  return `${by === undefined ? '' : ` by ${spokenActor(by)}`}${why === undefined ? '' : `: ${why}`}`
}
