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
    | Readonly<{ kind: 'founded'; at: number; ledgerId: string; restoredFrom?: string }>
    | Readonly<{
        kind: 'advertised'
        at: number
        clusterId: string
        door: string
        advertisement: Advertisement
      }>
    /** The cluster has been silent for too long: nothing new is placed there. */
    | Readonly<{ kind: 'staled'; at: number; clusterId: string }>
    /** A stale cluster advertised again, with the same facts. */
    | Readonly<{ kind: 'returned'; at: number; clusterId: string }>
    | Readonly<{
        kind: 'acceptingChanged'
        at: number
        clusterId: string
        accepting: Accepting
        withdrawnAt?: number
      }>
    /** Removed for good; nothing was held on it. */
    | Readonly<{ kind: 'decommissioned'; at: number; clusterId: string }>
    /** When each was last heard: advertisements by cluster, any call by requester. */
    | Readonly<{
        kind: 'heard'
        at: number
        advertised: Readonly<Record<string, number>>
        requesters: Readonly<Record<string, number>>
      }>
    | Readonly<{
        kind: 'reserved'
        at: number
        reservation: Reservation
        decision: DecisionSummary
      }>
    | Readonly<{ kind: 'activated'; at: number; reservation: Reservation }>
    | Readonly<{ kind: 'renewed'; at: number; reservation: Reservation }>
    /**
     * `draining`: it was in use, so its hold stays until the provider confirms or time runs out.
     * `waited`: it was `Pending`, so that its legs have never held anything.
     */
    | Readonly<{
        kind: 'released'
        at: number
        reservation: Reservation
        reason: EndReason
        draining: boolean
        waited?: true
      }>
    /** What one provider held of a released reservation that was in use is free again. */
    | Readonly<{ kind: 'drained'; at: number; reservation: Reservation; clusterId: string }>
    | Readonly<{
        kind: 'tombstoned'
        at: number
        door: string
        requester: string
        requestId: string
      }>
    | PeeringEvent
  )
