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
 * The fingerprint of a reservation that was released by its request id. It is not a digest, so that
 * no later request equals it.
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
  /** The id of the cluster or team that borrows. Never changes, nor do `door` and `requestId`. */
  requester: string
  /** Request ids are scoped to (door, requester). */
  door: string
  /** At most one live reservation of that scope has it. */
  requestId?: string | undefined
  /** Digest of the canonical request body, or `BURIED`. The same id with another one is refused. */
  fingerprint?: string | undefined
  /** What was asked for: the sum of the legs, if there are any. Never changes. */
  wanted: Resources
  /** Alias names that the requester used: answers to it use the same. */
  aliases?: readonly string[]
  /** Orders requests that wait together. It has no effect once this exists. */
  priority: number
  /** The provider the requester insisted on, if any. */
  pinned?: string
  /** It was to fit on a single node. */
  oneNode?: true
  /**
   * What its provider said was free on a single node when it was granted, of the resources for
   * which that was less than wanted. Absent: of none.
   */
  largestNode?: Resources
  /** `largestNode` is rounded down: the provider hid its numbers. */
  isNodeRounded?: true
  /** Never changes. Available capacity is reduced by it only while the phase `holdsNow`. */
  legs: readonly Leg[]
  /** Changes only as `phases.ts` allows. */
  phase: Phase
  createdAt: number
  /** The window [startsAt, expiresAt); without expiresAt it lasts until released. */
  startsAt: number
  expiresAt?: number | undefined
  /** Set once, when the phase becomes `Active`. */
  activatedAt?: number
  /** Present with `reason` once it has ended, in no live phase. */
  endedAt?: number
  reason?: EndReason
  /** Who ended it, as `operator:ana@rest`; absent: its requester, or the broker for `reason`. */
  endedBy?: string
  /** Why, in the words of who ended it. */
  endedWhy?: string
  /** Absent if a leg has no price in the broker's currency. */
  price?: HourlyPrice | undefined
  /** Journal index of the batch that decided it. Never changes. */
  decidedIndex: number
  /** Journal index of the last change. Never decreases. */
  changedIndex: number
}>

/**
 * The provider where an answer has room for one, as in `targetClusterID`: that of the first leg.
 * Undefined while no provider lends anything.
 */
export function targetOf({ legs: [first] }: Pick<Reservation, 'legs'>): string | undefined {
  return first?.clusterId
}
