import type { Phase, Reservation } from '@bourse/contract'
import type { ResourceRequestStatus } from '@bourse/contract/kinds'
import { priorityNote } from '@bourse/contract/priority-note'
import { type Condition, carriedOver } from '@bourse/kube'
import { generationOf, type ResourceRequest } from './resource-request.ts'

/** A word for programs and a sentence for people. */
export type Said = Readonly<{ reason: string; message: string }>

export type Showing = Readonly<{
  now: string
  /** The generation that this answers; the one it has if absent. */
  observed?: number | undefined
  /** What peering says about the way to a usable node. */
  steps?: readonly Condition[] | undefined
  /** An edit that the broker refused: everything else stays. */
  complaint?: Said | undefined
}>

type Claim = Readonly<{ type: string; status: Condition['status'] }> & Said

/** Nothing is held yet, and somebody is trying. */
export function pendingStatus(
  request: ResourceRequest,
  said: Said,
  showing: Showing,
): ResourceRequestStatus {
  const claims: Claim[] = [
    { type: 'Ready', status: 'False', ...said },
    { type: 'Reconciling', status: 'True', ...said },
  ]
  const { reservationName } = request.status ?? {}
  return {
    phase: 'Pending',
    message: said.message,
    ...(reservationName !== undefined && { reservationName }),
    ...commonOf(request, claims, showing),
  }
}

/** It never got capacity, or has it no longer; nothing more will come of it. */
export function endedStatus(
  request: ResourceRequest,
  { phase, reason, message }: Said & Readonly<{ phase: 'Failed' | 'Released' }>,
  showing: Showing,
): ResourceRequestStatus {
  const claims: Claim[] = [
    { type: 'Ready', status: 'False', reason, message },
    { type: 'Stalled', status: 'True', reason, message },
  ]
  const { reservationName, targetClusterID, targetClusterEndpoint, expiresAt } =
    request.status ?? {}
  const facts = { reservationName, targetClusterID, targetClusterEndpoint, expiresAt }
  const known = Object.entries(facts).filter(([, fact]) => fact !== undefined)
  const common = commonOf(request, claims, showing)
  return { phase, reason, message, ...Object.fromEntries(known), ...common }
}

/** As the broker tells it. */
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
    ...(reason !== undefined && { reason }),
    message,
    reservationName: id,
    ...(targetClusterID && { targetClusterID }),
    ...(endpointURL && { targetClusterEndpoint: endpointURL }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...commonOf(request, claimsOf(phase, reason ?? phase, message), showing),
  }
}

/** The broker tells of a priority that counts less when it is asked; here it stays in view. */
function messageOf({ spec }: ResourceRequest, { status, priority }: Reservation): string {
  const note = priorityNote(spec?.priority, priority)
  const isTold = note === undefined || status.message.includes(note)
  return isTold ? status.message : `${status.message}; ${note}`
}

function claimsOf(phase: Phase, reason: string, message: string): Claim[] {
  switch (phase) {
    case 'Pending':
      return [
        { type: 'Ready', status: 'False', reason: 'Waiting', message },
        { type: 'Reconciling', status: 'True', reason: 'Waiting', message },
      ]
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

function commonOf(request: ResourceRequest, claims: readonly Claim[], showing: Showing) {
  const observedGeneration = showing.observed ?? generationOf(request)
  const { steps = [], complaint } = showing
  const renewed: Claim[] = complaint ? [{ type: 'Renewed', status: 'False', ...complaint }] : []
  const before = request.status?.conditions
  const own = [...claims, ...renewed].map((claim) =>
    carriedOver({ ...claim, observedGeneration }, before, showing.now),
  )
  return { conditions: [...own, ...steps], observedGeneration }
}
