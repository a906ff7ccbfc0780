import type { Reservation } from '../reservation/reservation.ts'
import type { createDeadlines } from '../time/deadlines.ts'
import {
  opened,
  type PeeringEvent,
  type PeeringSession,
  withIdleness,
  withMessage,
} from './session.ts'

type Seat = {
  session: PeeringSession
  /** How many reservations of the pair hold now. While above 0, an established one has no end. */
  holding: number
  /** When its deadline is looked at next. At most one deadline counts for a session. */
  lookAt: number | undefined
}

type Ports = Readonly<{
  deadlines: Pick<ReturnType<typeof createDeadlines>, 'add'>
  /** Reservations of a pair that hold now, counted. */
  holdingOf(requester: string, provider: string): number
}>

/** The peering sessions: one at most for each ordered pair of clusters. */
export function createPeeringIndex({ deadlines, holdingOf }: Ports) {
  const seats = new Map<string, Seat>()
  /** Session ids by requester, then by provider. */
  const pairs = new Map<string, Map<string, string>>()
  /** Session ids by cluster, requester or provider. No cluster has an empty set. */
  const parties = new Map<string, Set<string>>()

  return { get, all, of, ofPair, countBy, apply, load, began, ended, look }

  function get(id: string): PeeringSession | undefined {
    return seats.get(id)?.session
  }

  function* all(): Generator<PeeringSession> {
    for (const { session } of seats.values()) yield session
  }

  function* of(clusterId: string): Generator<PeeringSession> {
    for (const id of parties.get(clusterId) ?? []) {
      const session = get(id)
      if (session) yield session
    }
  }

  function ofPair(requester: string, provider: string): PeeringSession | undefined {
    return get(pairs.get(requester)?.get(provider) ?? '')
  }

  function countBy(requester: string): number {
    return pairs.get(requester)?.size ?? 0
  }

  function apply(event: PeeringEvent): void {
    switch (event.kind) {
      case 'peeringOpened':
        enter(opened(event), holdingOf(event.requester, event.provider))
        return
      case 'peeringPosted':
        change(event.id, (session, isIdle) => withMessage(session, event, isIdle))
        return
      case 'peeringTroubled': {
        const { role, trouble } = event
        change(event.id, (session) => ({
          ...session,
          trouble: { ...session.trouble, [role]: trouble },
        }))
        return
      }
      case 'peeringClosed':
        remove(event.id)
    }
  }

  /** From a snapshot: its reservations come later and are counted then. */
  function load(session: PeeringSession): void {
    enter(session, 0)
  }

  function enter(session: PeeringSession, holding: number): void {
    const { id, requester, provider } = session
    const lookAt = seats.get(id)?.lookAt
    const seat: Seat = { session, holding, lookAt }
    seats.set(id, seat)
    pairs.set(requester, (pairs.get(requester) ?? new Map()).set(provider, id))
    for (const party of [requester, provider])
      parties.set(party, (parties.get(party) ?? new Set()).add(id))
    watch(seat)
  }

  function change(id: string, next: (session: PeeringSession, isIdle: boolean) => PeeringSession) {
    const seat = seats.get(id)
    if (!seat) return
    seat.session = next(seat.session, seat.holding === 0)
    watch(seat)
  }

  function remove(id: string): void {
    const session = get(id)
    if (!session) return
    const { requester, provider } = session
    seats.delete(id)
    const mine = pairs.get(requester)
    if (mine?.get(provider) === id) mine.delete(provider)
    if (mine?.size === 0) pairs.delete(requester)
    for (const party of [requester, provider]) {
      parties.get(party)?.delete(id)
      if (parties.get(party)?.size === 0) parties.delete(party)
    }
  }

  function began({ requester, legs }: Reservation): void {
    const mine = pairs.get(requester)
    if (!mine) return
    for (const { clusterId } of legs) {
      const seat = seats.get(mine.get(clusterId) ?? '')
      if (seat && ++seat.holding === 1) seat.session = withIdleness(seat.session)
    }
  }

  function ended({ requester, legs, endedAt = 0 }: Reservation): void {
    const mine = pairs.get(requester)
    if (!mine) return
    for (const { clusterId } of legs) {
      const seat = seats.get(mine.get(clusterId) ?? '')
      if (!seat || --seat.holding > 0) continue
      seat.session = withIdleness(seat.session, endedAt)
      watch(seat)
    }
  }

  function watch(seat: Seat): void {
    const { expiresAt, id } = seat.session
    if (expiresAt === undefined || (seat.lookAt !== undefined && seat.lookAt <= expiresAt)) return
    seat.lookAt = expiresAt
    deadlines.add(expiresAt, { kind: 'peering', of: id })
  }

  /** At a deadline: the session if it has expired, otherwise it gets its later deadline. */
  function look(id: string, now: number): PeeringSession | undefined {
    const seat = seats.get(id)
    if (!seat) return undefined
    const { expiresAt } = seat.session
    if (expiresAt !== undefined && expiresAt <= now) return seat.session
    // This deadline is of an earlier session with this id.
    if (seat.lookAt !== undefined && seat.lookAt > now) return undefined
    seat.lookAt = undefined
    watch(seat)
    return undefined
  }
}
