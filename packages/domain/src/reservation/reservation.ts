import type { Money } from '../quantity/money.ts'
import type { Resources } from '../quantity/resources.ts'

/**
 *   Pending ──► Reserved ──► Active
 *      │            │           │
 *      ▼            └─────┬─────┘
 *    Failed            Released
 */
export type Phase = 'Pending' | 'Reserved' | 'Active' | 'Released' | 'Failed'

export type EndReason = 'Expired' | 'Released' | 'Withdrawn' | 'RequesterGone' | 'Preempted'

/**
 * The fingerprint of a reservation that was released by its request id. It is no digest, so that no
 * later request equals it.
 */
export const BURIED = 'released'

/** The part of a reservation that one provider holds. */
export type Leg = Readonly<{ clusterId: string; resources: Resources }>

/** The price of all legs for an hour, as agreed when the reservation was made. */
export type HourlyPrice = Readonly<{ perHour: Money; currency: string }>

/** Immutable: a change makes a new value. */
export type Reservation = Readonly<{
  /** Never used twice, in this ledger or another. */
  id: string
  requester: string
  /** Request ids are scoped to (door, requester). */
  door: string
  requestId?: string | undefined
  /** Digest of the canonical request body, or `BURIED`. The same id with another one is refused. */
  fingerprint?: string | undefined
  wanted: Resources
  aliases?: readonly string[]
  priority: number
  /** The provider the requester insisted on, if any. */
  pinned?: string
  /** Never changes. Available capacity is reduced by it only while the phase `holdsNow`. */
  legs: readonly Leg[]
  phase: Phase
  createdAt: number
  /** The window [startsAt, expiresAt); without expiresAt it lasts until released. */
  startsAt: number
  expiresAt?: number | undefined
  activatedAt?: number
  /** Present with `reason` once it has ended, in no live phase. */
  endedAt?: number
  reason?: EndReason
  /** Who ended it, as `operator:ana@rest`; absent: its requester, or the broker for `reason`. */
  endedBy?: string
  /** Why, in the words of who ended it. */
  endedWhy?: string
  price?: HourlyPrice | undefined
  /** Journal index of the batch that decided it; never above that of the last change. */
  decidedIndex: number
  changedIndex: number
}>

/**
 * The provider where an answer has room for one, as in `targetClusterID`: that of the first leg.
 * Undefined while no provider lends anything.
 */
export function targetOf({ legs: [first] }: Pick<Reservation, 'legs'>): string | undefined {
  return first?.clusterId
}
