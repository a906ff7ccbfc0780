import type { PeeringEvent } from '../../peering/session.ts'
import type { DecisionSummary } from '../../placement/index.ts'
import type { Scope } from '../../reservation/request-ids.ts'
import type { EndReason, Reservation } from '../../reservation/reservation.ts'
import type { Accepting, Cluster } from '../../supply/cluster.ts'
import type { Signature } from './actor.ts'

/**
 * What has happened; the ledger is the fold of these. Every event is complete in itself, so that
 * a reader (metrics, audit, history, streams) needs no other state to understand it.
 */
export type LedgerEvent = Signature &
  /** In the broker's time. Never less than in an earlier event. */
  Readonly<{ at: number }> &
  (
    | FoundedEvent
    | ClusterEvent
    | HeardEvent
    | ReservationEvent
    | (Readonly<{ kind: 'tombstoned' }> & Scope)
    | PeeringEvent
  )

export type EventOf<K extends LedgerEvent['kind']> = Extract<LedgerEvent, { kind: K }>

/** The first event of a ledger; a restored backup is founded anew under an id of its own. */
type FoundedEvent = Readonly<{ kind: 'founded'; ledgerId: string; restoredFrom?: string }>

type ClusterEvent = Readonly<{ clusterId: string }> &
  (
    | (Readonly<{ kind: 'advertised' }> & Pick<Cluster, 'door' | 'advertisement'>)
    /** The cluster has been silent for too long: nothing new is placed there. */
    | Readonly<{ kind: 'staled' }>
    /** A stale cluster advertised again, with the same facts. */
    | Readonly<{ kind: 'returned' }>
    | Readonly<{ kind: 'acceptingChanged'; accepting: Accepting; withdrawnAt?: number }>
    /** Removed for good; nothing was held on it. */
    | Readonly<{ kind: 'decommissioned' }>
  )

/** When each was last heard: advertisements by cluster, any call by requester. */
type HeardEvent = Readonly<{
  kind: 'heard'
  advertised: Readonly<Record<string, number>>
  requesters: Readonly<Record<string, number>>
}>

/** `reservation` is the value after the event. */
type ReservationEvent = Readonly<{ reservation: Reservation }> &
  (
    | Readonly<{ kind: 'reserved'; decision: DecisionSummary }>
    | Readonly<{ kind: 'activated' }>
    | Readonly<{ kind: 'renewed' }>
    /**
     * `draining`: it was in use, so its hold stays until the provider confirms or time runs out.
     * `waited`: it was `Pending`, so that its legs have never held anything.
     */
    | Readonly<{ kind: 'released'; reason: EndReason; draining: boolean; waited?: true }>
    /** What one provider held of a released reservation that was in use is free again. */
    | Readonly<{ kind: 'drained'; clusterId: string }>
  )
