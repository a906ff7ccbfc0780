import type { StreamEvent } from '@bourse/contract'
import type { LedgerEvent } from '@bourse/domain/ledger'
import { type DecisionSummary, formatScore } from '@bourse/domain/placement'
import { isoOf } from '../../presentation/moments.ts'
import { printedAmounts } from '../../presentation/printed-supply.ts'
import type { NoteOf } from '../../presentation/provider-notes.ts'
import type { Caller } from '../callers/caller.ts'
import { toReservation } from '../reservations/reservation-reply.ts'

type Change = Extract<StreamEvent, { kind: 'cluster' }>['change']
type PeeringChange = Extract<StreamEvent, { kind: 'peering' }>['change']
type PeeringPair = Readonly<{ id: string; requester: string; provider: string }>

/** All events but bookkeeping. */
export type Told = Exclude<LedgerEvent, { kind: 'founded' | 'heard' | 'tombstoned' }>

/** What a committed event looks like in the stream. */
export function toStreamEvent(event: Told, index: number, noteOf: NoteOf): StreamEvent {
  const { by, why } = event
  const signature = { ...(by !== undefined && { by }), ...(why !== undefined && { why }) }
  const shared = { index, at: isoOf(event.at), ...signature }
  switch (event.kind) {
    case 'reserved':
    case 'activated':
    case 'renewed':
    case 'released':
    case 'drained':
      return {
        kind: 'reservation',
        change: event.kind,
        ...shared,
        reservation: toReservation(event.reservation, noteOf),
        ...(event.kind === 'reserved' && { decision: toDecision(event.decision) }),
      }
    case 'advertised': {
      const { clusterName } = event.advertisement
      const resources = printedAmounts(event.advertisement)
      return { ...cluster(event.clusterId, 'advertised'), clusterName, resources }
    }
    case 'staled':
    case 'returned':
    case 'decommissioned':
      return cluster(event.clusterId, event.kind)
    case 'acceptingChanged':
      return cluster(event.clusterId, event.accepting)
    case 'peeringOpened':
      return peering(event, 'opened')
    case 'peeringPosted':
      return { ...peering(event, 'posted'), step: event.step }
    case 'peeringTroubled':
      return { ...peering(event, 'stuck'), reason: event.trouble.reason }
    case 'peeringClosed':
      return { ...peering(event, 'closed'), reason: event.reason }
  }

  function cluster(clusterID: string, change: Change) {
    return { kind: 'cluster' as const, change, ...shared, clusterID }
  }

  function peering(pair: PeeringPair, change: PeeringChange) {
    const { id, requester: requesterID, provider: providerID } = pair
    return { kind: 'peering' as const, change, ...shared, id, requesterID, providerID }
  }
}

/** Whether an event concerns a caller; only operators get the others. */
export function isToldTo(event: LedgerEvent, { id, isOperator }: Caller): event is Told {
  return isTold(event) && (isOperator || partiesOf(event).includes(id))
}

function isTold({ kind }: LedgerEvent): boolean {
  return kind !== 'founded' && kind !== 'heard' && kind !== 'tombstoned'
}

function partiesOf(event: LedgerEvent): readonly string[] {
  if ('reservation' in event) {
    const { requester, legs } = event.reservation
    return [requester, ...legs.map(({ clusterId }) => clusterId)]
  }
  if ('provider' in event) return [event.requester, event.provider]
  return 'clusterId' in event ? [event.clusterId] : []
}

/**
 * The grounds of a decision have exact scores, which clusters may hide; the name of an object is
 * its requester's.
 */
export function maySeeGrounds(event: LedgerEvent, { isOperator }: Caller): boolean {
  return isOperator || (event.kind !== 'reserved' && !isByObject(event))
}

export function isByObject({ by }: Readonly<{ by?: string | undefined }>): boolean {
  return by?.startsWith('object:') ?? false
}

function toDecision({ policy, best, refused }: DecisionSummary) {
  return {
    policy,
    best: best.map(({ clusterId, score }) => ({ clusterID: clusterId, score: formatScore(score) })),
    refused: { ...refused },
  }
}
