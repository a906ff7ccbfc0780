import { createPeeringIndex } from '../../peering/session-index.ts'
import { createNumberSet, type NumberSet } from '../../reservation/number-set.ts'
import { holdsNow, isLive } from '../../reservation/phases.ts'
import { createRequestIds, type TombstoneRecord } from '../../reservation/request-ids.ts'
import type { Reservation } from '../../reservation/reservation.ts'
import { numberOf } from '../../reservation/reservation-id.ts'
import { createReservationIndex } from '../../reservation/reservation-index.ts'
import type { createProviders, Provider } from '../../supply/providers.ts'
import type { createDeadlines, Deadline } from '../../time/deadlines.ts'
import { createSilence } from '../../time/silence.ts'
import { createClusters } from './clusters.ts'
import type { EventOf, LedgerEvent } from './event.ts'

export type Limits = Readonly<{
  staleAfterMs: number
  drainTimeoutMs: number
  reclaimAfterMs: number
}>
type Parts = Readonly<{
  providers: ReturnType<typeof createProviders>
  deadlines: ReturnType<typeof createDeadlines>
  limits: Limits
}>
/** Ended reservations, by id, and tombstones that the history on disk has. */
export type SafeOnDisk = Readonly<{
  ended: readonly string[]
  tombstones: readonly TombstoneRecord[]
}>

export type State = ReturnType<typeof createState>

/**
 * The ledger's memory. Only `apply` changes it, or a snapshot that fills it: a replay of the events
 * rebuilds it exactly.
 */
export function createState({ providers, deadlines, limits }: Parts) {
  /** Every live one, and every number in `ended`. */
  const reservations = createReservationIndex()
  /** Numbers of those that have ended and are not forgotten yet. */
  const ended = new Set<number>()
  /** Numbers of the live ones. No requester has an empty set. */
  const byRequester = new Map<string, NumberSet>()
  const requestIds = createRequestIds()
  const peerings = createPeeringIndex({ deadlines, holdingOf })
  const clusters = createClusters({ providers, deadlines, limits, reservations })
  const silence = createSilence({ deadlines, reclaimAfterMs: limits.reclaimAfterMs })
  /** `lastNumber` and `lastAt` never decrease. */
  const identity = { ledgerId: '', lastNumber: 0, lastAt: 0 }
  /** The sum of the sizes in `byRequester`. */
  let liveCount = 0

  return {
    identity,
    providers,
    reservations,
    ended,
    requestIds,
    silence,
    peerings,
    holdingOf,
    apply,
    enter,
    clusters,
    forget,
    isHeldBy,
    requestedBy: (requester: string): Iterable<number> => byRequester.get(requester) ?? [],
    liveCount: () => liveCount,
  }

  function apply(event: LedgerEvent): void {
    if (event.at > identity.lastAt) identity.lastAt = event.at
    switch (event.kind) {
      case 'founded':
        identity.ledgerId = event.ledgerId
        break
      case 'advertised':
        clusters.advertise(event)
        break
      case 'staled':
        clusters.setStale(event.clusterId, true)
        break
      case 'returned':
        clusters.hear(event.clusterId, event.at)
        clusters.setStale(event.clusterId, false)
        break
      case 'acceptingChanged':
        clusters.setAccepting(event)
        break
      case 'decommissioned':
        providers.remove(event.clusterId)
        break
      case 'heard':
        for (const id in event.advertised) clusters.hear(id, event.advertised[id] ?? 0)
        for (const id in event.requesters) silence.hear(id, event.requesters[id] ?? 0)
        break
      case 'reserved':
        enter(event.reservation)
        for (const { clusterId } of event.reservation.legs) clusters.watchWithdrawal(clusterId)
        break
      case 'activated':
        reservations.put(event.reservation)
        break
      case 'renewed':
        renew(event.reservation)
        break
      case 'released':
        end(event)
        break
      case 'drained':
        drain(event)
        break
      case 'tombstoned': {
        const { door, requester, requestId, at } = event
        requestIds.bury({ door, requester, requestId, at })
        break
      }
      case 'peeringOpened':
      case 'peeringPosted':
      case 'peeringTroubled':
      case 'peeringClosed':
        peerings.apply(event)
        break
      default:
        event satisfies never
    }
  }

  /** Adds a new one, or one from a snapshot: `heldBy` has the providers where it still drains. */
  function enter(reservation: Reservation, heldBy?: ReadonlySet<string>): void {
    const { id, requester, door, requestId } = reservation
    const number = numberOf(id)
    identity.lastNumber = Math.max(identity.lastNumber, number)
    reservations.put(reservation)
    if (requestId !== undefined) requestIds.grant({ door, requester, requestId }, number)
    const live = isLive(reservation.phase)
    const holds = holdsNow(reservation.phase)
    for (const leg of reservation.legs) {
      const provider = providers.get(leg.clusterId)
      if (!provider || !(holds || heldBy?.has(leg.clusterId))) continue
      if (holds) provider.holding.add(number)
      else provider.draining.add(number)
      providers.hold(provider, reservation, leg)
    }
    if (live) admit(reservation, number)
    else ended.add(number)
    if (!live && isHeld(reservation)) watchDrain(reservation)
  }

  function admit(reservation: Reservation, number: number): void {
    const { requester } = reservation
    liveCount++
    let mine = byRequester.get(requester)
    if (!mine) {
      mine = createNumberSet()
      byRequester.set(requester, mine)
    }
    mine.add(number)
    if (holdsNow(reservation.phase)) peerings.began(reservation)
    watchExpiry(reservation, number)
  }

  function renew(reservation: Reservation): void {
    const number = numberOf(reservation.id)
    const before = reservations.at(number)?.expiresAt
    reservations.put(reservation)
    if (reservation.expiresAt === before) return
    watchExpiry(reservation, number)
    if (before !== undefined) deadlines.ended(isNeeded)
  }

  function end({ reservation, draining }: EventOf<'released'>): void {
    const { id, requester } = reservation
    const number = numberOf(id)
    const before = reservations.at(number)
    reservations.put(reservation)
    ended.add(number)
    liveCount--
    const mine = byRequester.get(requester)
    mine?.delete(number)
    if (mine?.size === 0) byRequester.delete(requester)
    if (before && holdsNow(before.phase)) letGo(reservation, draining)
    deadlines.ended(isNeeded)
  }

  function letGo(reservation: Reservation, draining: boolean): void {
    const number = numberOf(reservation.id)
    peerings.ended(reservation)
    for (const leg of reservation.legs) {
      const provider = providers.get(leg.clusterId)
      if (!provider) continue
      provider.holding.delete(number)
      if (draining) providers.drain(provider, number)
      else providers.letGo(provider, reservation.id, leg)
    }
    if (draining) watchDrain(reservation)
  }

  function drain({ reservation, clusterId }: EventOf<'drained'>): void {
    const provider = providers.get(clusterId)
    if (!provider?.draining.delete(numberOf(reservation.id))) return
    for (const leg of reservation.legs)
      if (leg.clusterId === clusterId) providers.letGo(provider, reservation.id, leg)
  }

  function watchExpiry({ expiresAt }: Reservation, number: number): void {
    if (expiresAt !== undefined) deadlines.add(expiresAt, { kind: 'expiry', of: number })
  }

  function watchDrain({ id, endedAt = 0 }: Reservation): void {
    deadlines.add(endedAt + limits.drainTimeoutMs, { kind: 'drain', of: numberOf(id) })
  }

  /** An ended reservation never becomes live, nor held again once its provider let go. */
  function isNeeded({ kind, of }: Deadline, at: number): boolean {
    if (kind !== 'expiry' && kind !== 'drain') return true
    const reservation = reservations.at(of)
    if (!reservation) return false
    if (kind === 'drain') return isHeld(reservation)
    return isLive(reservation.phase) && reservation.expiresAt === at
  }

  /** How many reservations of this requester hold on this provider. */
  function holdingOf(requester: string, provider: string): number {
    let count = 0
    for (const number of byRequester.get(requester) ?? []) {
      const one = reservations.at(number)
      const isThere = one?.legs.some(({ clusterId }) => clusterId === provider)
      if (one && isThere && holdsNow(one.phase)) count++
    }
    return count
  }

  function forget(safe: SafeOnDisk): void {
    for (const id of safe.ended) {
      const reservation = reservations.get(id)
      if (!reservation || isLive(reservation.phase) || isHeld(reservation)) continue
      reservations.delete(id)
      ended.delete(numberOf(id))
      const { door, requester, requestId } = reservation
      if (requestId !== undefined) requestIds.forgetGrant({ door, requester, requestId })
    }
    for (const tombstone of safe.tombstones) requestIds.unbury(tombstone)
  }

  function isHeld({ id, legs }: Reservation): boolean {
    const number = numberOf(id)
    return legs.some((leg) => providers.get(leg.clusterId)?.draining.has(number))
  }

  /** `id` may be any text: the number in it counts only if a reservation has this id. */
  function isHeldBy({ holding, draining }: Provider, id: string): boolean {
    const number = numberOf(id)
    return (holding.has(number) || draining.has(number)) && reservations.get(id) !== undefined
  }
}
