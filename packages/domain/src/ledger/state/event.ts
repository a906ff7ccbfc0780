import type { PeeringEvent } from '../../peering/event.ts'
import type { DecisionSummary } from '../../placement/index.ts'
import type { EndReason, Reservation } from '../../reservation/reservation.ts'
import type { Accepting, Advertisement } from '../../supply/cluster.ts'
import type { Signature } from './actor.ts'

/**
 * What has happened; the ledger is the fold of these. Every event is complete in itself, so that
 * a reader (metrics, audit, history, streams) needs no other state to understand it.
 */
export type LedgerEvent = Signature &
  /** The first event of a ledger; a restored backup is founded anew under an id of its own. */
  (
    | Event<'founded', { ledgerId: string; restoredFrom?: string }>
    | Event<'advertised', { clusterId: string; door: string; advertisement: Advertisement }>
    /** The cluster has been silent for too long: nothing new is placed there. */
    | Event<'staled', { clusterId: string }>
    /** A stale cluster advertised again, with the same facts. */
    | Event<'returned', { clusterId: string }>
    | Event<'acceptingChanged', { clusterId: string; accepting: Accepting; withdrawnAt?: number }>
    /** Removed for good; nothing was held on it. */
    | Event<'decommissioned', { clusterId: string }>
    /** When each was last heard: advertisements by cluster, any call by requester. */
    | Event<'heard', { advertised: Moments; requesters: Moments }>
    | Event<'reserved', { reservation: Reservation; decision: DecisionSummary }>
    | Event<'activated', { reservation: Reservation }>
    | Event<'renewed', { reservation: Reservation }>
    | Event<'released', Release>
    /** What one provider held of a released reservation that was in use is free again. */
    | Event<'drained', { reservation: Reservation; clusterId: string }>
    | Event<'tombstoned', { door: string; requester: string; requestId: string }>
    | PeeringEvent
  )

type Event<Kind extends string, Fields> = Readonly<{ kind: Kind; at: number } & Fields>

type Moments = Readonly<Record<string, number>>

type Release = {
  reservation: Reservation
  reason: EndReason
  /** It was in use, so its hold stays until the provider confirms or time runs out. */
  draining: boolean
  /** It was `Pending`, so that its legs have never held anything. */
  waited?: true
}
