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
 * The fingerprint of what was released by its request id: no body has this digest, so that none is
 * the same request any more.
 */
export const BURIED = 'released'

/** The part of a reservation that one provider holds. */
export type Leg = Readonly<{ clusterId: string; resources: Resources }>

/** A price as agreed when the reservation was made, for all of it and an hour. */
export type HourlyPrice = Readonly<{ perHour: Money; currency: string }>

/** Immutable: a change makes a new value, so a captured one never changes under a reader. */
export type Reservation = Readonly<{
  id: string
  requester: string
  /** Request ids are scoped to (door, requester). */
  door: string
  requestId?: string | undefined
  /** Digest of the canonical request body: the same id with another body is refused. */
  fingerprint?: string | undefined
  wanted: Resources
  aliases?: readonly string[]
  priority: number
  /** The provider the requester insisted on, if any. */
  pinned?: string
  /** Who lends what. Only a phase that `holdsNow` takes this from what its providers have. */
  legs: readonly Leg[]
  phase: Phase
  createdAt: number
  /** The window [startsAt, expiresAt); without expiresAt it lasts until released. */
  startsAt: number
  expiresAt?: number | undefined
  activatedAt?: number
  endedAt?: number
  reason?: EndReason
  /** Who ended it, as `operator:ana@rest`; absent: its requester, or the broker for `reason`. */
  endedBy?: string
  /** Why, in the words of who ended it. */
  endedWhy?: string
  price?: HourlyPrice | undefined
  /** Journal index of the batch that decided it, and of the last batch that changed it. */
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
