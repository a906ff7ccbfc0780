import type { LedgerEvent, Outcome } from '@bourse/domain/ledger'
import { canonical } from './canonical.ts'

/** An outcome in the words of the model. */
export function saidOf(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'advertised':
      return outcome.changed ? 'advertised' : 'advertised, unchanged'
    case 'reserved': {
      const { id, legs } = outcome.reservation
      return `reserved ${id} on ${legs.map(({ clusterId }) => clusterId).join()}`
    }
    case 'known':
    case 'requestIdReused':
      return `${outcome.kind} ${outcome.reservation.id}`
    case 'changed':
    case 'unchanged':
    case 'wrongPhase':
      return `${outcome.kind} ${outcome.reservation.phase}`
    case 'clusterChanged':
      return `clusterChanged ${outcome.cluster.accepting}${outcome.changed ? '' : ', unchanged'}`
    case 'stillHolding':
    case 'tooManyPeerings':
      return `${outcome.kind} ${outcome.count}`
    case 'stillHeard':
      return `stillHeard ${outcome.silentMs}`
    case 'peering':
      return `peering ${outcome.session.state}${outcome.changed ? '' : ', unchanged'}`
    case 'notYourStep':
      return `notYourStep ${outcome.role}`
    default:
      return outcome.kind
  }
}

/** An event in the words of the model; a note of heartbeats has one line for each. */
export function effectsOf(event: LedgerEvent): string[] {
  switch (event.kind) {
    case 'advertised':
      return [`advertised ${event.clusterId} by ${event.door}`]
    case 'staled':
    case 'returned':
    case 'decommissioned':
      return [`${event.kind} ${event.clusterId}`]
    case 'acceptingChanged': {
      const { clusterId, accepting, withdrawnAt } = event
      return [`acceptingChanged ${clusterId} to ${accepting}, ends ${withdrawnAt}`]
    }
    case 'heard':
      return [event.advertised, event.requesters].flatMap((all) =>
        Object.entries(all).map(([id, at]) => `heard ${id} at ${at}`),
      )
    case 'reserved': {
      const { id, legs, requester, expiresAt, price, largestNode } = event.reservation
      const where = legs.map(({ clusterId }) => clusterId).join()
      const node = canonical(largestNode)
      return [
        `reserved ${id} on ${where} for ${requester} until ${expiresAt} at ${price?.perHour}, node ${node}`,
      ]
    }
    case 'activated':
      return [`activated ${event.reservation.id}`]
    case 'renewed':
      return [`renewed ${event.reservation.id} until ${event.reservation.expiresAt}`]
    case 'released': {
      const how = event.draining ? ', draining' : ''
      const { id, endedBy, endedWhy } = event.reservation
      const who = `${endedBy ? `, by ${endedBy}` : ''}${endedWhy ? `, ${endedWhy}` : ''}`
      return [`released ${id} as ${event.reason}${how}${who}`]
    }
    case 'drained':
      return [`drained ${event.reservation.id} on ${event.clusterId}`]
    case 'tombstoned':
      return [`tombstoned ${event.door} ${event.requester} ${event.requestId}`]
    case 'peeringPosted':
      return [`peeringPosted ${event.id} ${event.step}`]
    case 'peeringTroubled':
      return [`peeringTroubled ${event.id} ${event.role}`]
    case 'peeringClosed':
      return [`peeringClosed ${event.id} as ${event.reason}`]
    default:
      return 'id' in event ? [`${event.kind} ${event.id}`] : [event.kind]
  }
}
