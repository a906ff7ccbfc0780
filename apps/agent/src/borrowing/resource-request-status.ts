import type { Phase, Reservation } from '@bourse/contract'
import type { ResourceRequestStatus } from '@bourse/contract/kinds'
import { priorityNote } from '@bourse/contract/priority-note'
import { given } from '@bourse/daemon/given'
import { type Condition, carriedOver } from '@bourse/kube'
import { generationOf, type ResourceRequest } from './resource-request.ts'

/** A reason for programs and a message for people. */
export type Said = Readonly<{ reason: string; message: string }>

export type Showing = Readonly<{
  now: string
  /** The generation that this status is for; default: the current one. */
  observed?: number | undefined
  /** The progress of the peering. */
  steps?: readonly Condition[] | undefined
  /** Why the broker refused a renewal. */
  problem?: Said | undefined
}>

type Claim = Readonly<{ type: string; status: Condition['status'] }> & Said

/** Nothing is reserved yet; it is being retried. */
export function pendingStatus(
  request: ResourceRequest,
  said: Said,
  showing: Showing,
): ResourceRequestStatus {
  const claims = pendingClaims(said)
  const { reservationName } = request.status ?? {}
  return {
    phase: 'Pending',
    message: said.message,
    ...given({ reservationName }),
    ...commonOf(request, claims, showing),
  }
}

/** Final: it never got capacity, or no longer has it. */
export function endedStatus(
  request: ResourceRequest,
  { phase, reason, message }: Said & Readonly<{ phase: 'Failed' | 'Released' }>,
  showing: Showing,
): ResourceRequestStatus {
  const claims = claimsOf(phase, reason, message)
  const { reservationName, targetClusterID, targetClusterEndpoint, expiresAt } =
    request.status ?? {}
  const known = given({ reservationName, targetClusterID, targetClusterEndpoint, expiresAt })
  return { phase, reason, message, ...known, ...commonOf(request, claims, showing) }
}

export function reservationStatus(
  request: ResourceRequest,
  reservation: Reservation,
  showing: Showing,
): ResourceRequestStatus {
  const { id, targetClusterID, endpointURL, status } = reservation
  const { phase, expiresAt } = status
  const message = messageOf(request, reservation)
  const reason = status.reason ?? reservation.reason
  return {
    phase,
    ...given({ reason }),
    message,
    reservationName: id,
    ...(targetClusterID && { targetClusterID }),
    ...(endpointURL && { targetClusterEndpoint: endpointURL }),
    ...given({ expiresAt }),
    ...commonOf(request, claimsOf(phase, reason ?? phase, message), showing),
  }
}

/** Adds the note about a reduced priority: the broker sends it only with its first answer. */
function messageOf({ spec }: ResourceRequest, { status, priority }: Reservation): string {
  const note = priorityNote(spec?.priority, priority)
  const isTold = note === undefined || status.message.includes(note)
  return isTold ? status.message : `${status.message}; ${note}`
}

function claimsOf(phase: Phase, reason: string, message: string): Claim[] {
  switch (phase) {
    case 'Pending':
      return pendingClaims({ reason: 'Waiting', message })
    case 'Reserved':
    case 'Active':
      return [{ type: 'Ready', status: 'True', reason, message }]
    case 'Released':
    case 'Failed':
      return [
        { type: 'Ready', status: 'False', reason, message },
        { type: 'Stalled', status: 'True', reason, message },
      ]
  }
}

function pendingClaims(said: Said): Claim[] {
  return [
    { type: 'Ready', status: 'False', ...said },
    { type: 'Reconciling', status: 'True', ...said },
  ]
}

function commonOf(request: ResourceRequest, claims: readonly Claim[], showing: Showing) {
  const observedGeneration = showing.observed ?? generationOf(request)
  const { steps = [], problem } = showing
  const renewed: Claim[] = problem ? [{ type: 'Renewed', status: 'False', ...problem }] : []
  const before = request.status?.conditions
  const own = [...claims, ...renewed].map((claim) =>
    carriedOver({ ...claim, observedGeneration }, before, showing.now),
  )
  return { conditions: [...own, ...steps], observedGeneration }
}
