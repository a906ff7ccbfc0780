import type { Reservation } from '@bourse/contract'
import type { Colour, Paint } from '../terminal/colours.ts'
import type { View } from '../terminal/output.ts'
import { relativeTime } from '../terminal/relative-time.ts'
import { type Column, renderPairs, renderTable } from '../terminal/table.ts'
import { describeQuantities } from './quantities.ts'

const PHASE_COLOURS: Readonly<Record<Reservation['status']['phase'], Colour>> = {
  Pending: 'yellow',
  Reserved: 'cyan',
  Active: 'green',
  Released: 'dim',
  Failed: 'red',
}

export function reservationsView(reservations: readonly Reservation[]): View {
  return ({ paint, isWide, now }) => {
    if (reservations.length === 0) return 'No reservations.'
    const columns: Column<Reservation>[] = [
      { title: 'ID', cell: ({ id }) => id },
      { title: 'REQUESTER', cell: ({ requesterID }) => requesterID },
      { title: 'PROVIDER', cell: ({ targetClusterID }) => targetClusterID },
      { title: 'RESOURCES', cell: (one) => describeQuantities(one.requestedResources) },
      { title: 'PHASE', cell: (one) => phaseOf(one, paint) },
      { title: 'ENDS', cell: (one) => endOf(one, now) },
      { title: 'AGE', cell: (one) => relativeTime(one.createdAt, now) },
    ]
    return renderTable([...columns, ...(isWide ? wideColumns : [])], reservations, paint)
  }
}

const wideColumns: readonly Column<Reservation>[] = [
  { title: 'PRIORITY', align: 'right', cell: ({ priority }) => String(priority ?? '') },
  { title: 'COST/H', align: 'point', cell: costOf },
  { title: 'REQUEST ID', cell: ({ requestId }) => requestId ?? '' },
]

/** All there is to say about one. */
export function reservationView(reservation: Reservation): View {
  return ({ paint, now }) => {
    const { status } = reservation
    const moment = (at: string | undefined) => (at ? `${at} (${relativeTime(at, now)})` : '')
    return renderPairs([
      ['Id', reservation.id],
      ['Phase', phaseOf(reservation, paint)],
      ['Message', status.message],
      ['Requester', reservation.requesterID],
      ['Provider', reservation.targetClusterID + (reservation.pinned ? ' (pinned)' : '')],
      ['Endpoint', reservation.endpointURL ?? ''],
      [
        'Resources',
        describeQuantities(reservation.requestedResources) +
          (reservation.oneNode ? ' (on one node)' : ''),
      ],
      ['Priority', String(reservation.priority ?? '')],
      ['Cost', costOf(reservation) && `${costOf(reservation)} an hour`],
      ['Created', moment(reservation.createdAt)],
      ['Activated', moment(status.activatedAt)],
      ['Expires', status.endedAt ? '' : moment(status.expiresAt) || 'when released'],
      ['Ended', moment(status.endedAt)],
      ['Request id', reservation.requestId ?? ''],
    ])
  }
}

/** One sentence, as after a change. */
export function reservationLine(reservation: Reservation): View {
  return ({ paint, now }) => {
    const { id, targetClusterID, requesterID, requestedResources } = reservation
    const parts = [
      `${phaseOf(reservation, paint)} ${paint(id, 'bold')}:`,
      `${describeQuantities(requestedResources)} on ${paint(targetClusterID, 'bold')}`,
      `for ${requesterID},`,
      sentenceEnd(reservation, now),
    ]
    const cost = reservation.status.endedAt ? '' : costOf(reservation)
    return `${parts.join(' ')}${cost ? `, ${cost} an hour` : ''}.`
  }
}

function phaseOf({ status }: Reservation, paint: Paint): string {
  const reason = status.reason && status.reason !== status.phase ? ` (${status.reason})` : ''
  return paint(status.phase, PHASE_COLOURS[status.phase]) + reason
}

function endOf({ status }: Reservation, now: number): string {
  if (status.endedAt) return relativeTime(status.endedAt, now)
  return relativeTime(status.expiresAt, now) || 'when released'
}

function sentenceEnd({ status }: Reservation, now: number): string {
  if (status.endedAt) return `ended ${relativeTime(status.endedAt, now)}`
  if (status.expiresAt) return `expires ${relativeTime(status.expiresAt, now)}`
  return 'until released'
}

function costOf({ cost }: Reservation): string {
  return cost ? `${cost.perHour} ${cost.currency}` : ''
}
