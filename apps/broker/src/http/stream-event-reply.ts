import type { StreamEvent } from '@bourse/contract'
import type { LedgerEvent } from '@bourse/domain/ledger'
import { formatScore } from '@bourse/domain/placement'
import { printResources } from '@bourse/domain/quantity'
import { isoOf } from '../doors/moments.ts'
import type { NoteOf } from '../doors/provider-notes.ts'
import { toReservation } from './reservation-reply.ts'

type Change = Extract<StreamEvent, { kind: 'cluster' }>['change']

/** What a committed event looks like in the stream; undefined for what is only bookkeeping. */
export function toStreamEvent(
  event: LedgerEvent,
  index: number,
  noteOf: NoteOf,
): StreamEvent | undefined {
  const at = isoOf(event.at)
  switch (event.kind) {
    case 'reserved':
    case 'activated':
    case 'renewed':
    case 'released':
    case 'drained':
      return {
        kind: 'reservation',
        change: event.kind,
        index,
        at,
        reservation: toReservation(event.reservation, noteOf),
        ...(event.kind === 'reserved' && { decision: toDecision(event.decision) }),
      }
    case 'advertised':
      return { ...cluster(event.clusterId, 'advertised'), ...suppliesOf(event.advertisement) }
    case 'staled':
    case 'returned':
    case 'decommissioned':
      return cluster(event.clusterId, event.kind)
    case 'acceptingChanged':
      return cluster(event.clusterId, event.accepting)
    case 'founded':
    case 'heard':
    case 'tombstoned':
      return undefined
  }

  function cluster(clusterID: string, change: Change) {
    return { kind: 'cluster' as const, change, index, at, clusterID }
  }
}

/** Whom an event concerns; everybody else but operators never hears of it. */
export function partiesOf(event: LedgerEvent): readonly string[] {
  if ('reservation' in event) {
    const { requester, legs } = event.reservation
    return [requester, ...legs.map(({ clusterId }) => clusterId)]
  }
  return 'clusterId' in event ? [event.clusterId] : []
}

type Advertised = Extract<LedgerEvent, { kind: 'advertised' }>['advertisement']

function suppliesOf({ clusterName, capacity, allocatable, allocated, aliases }: Advertised) {
  const resources = {
    capacity: printResources(capacity, aliases),
    allocatable: printResources(allocatable, aliases),
    allocated: printResources(allocated, aliases),
  }
  return { clusterName, resources }
}

function toDecision({
  policy,
  best,
  refused,
}: Extract<LedgerEvent, { kind: 'reserved' }>['decision']) {
  return {
    policy,
    best: best.map(({ clusterId, score }) => ({ clusterID: clusterId, score: formatScore(score) })),
    refused: { ...refused },
  }
}
