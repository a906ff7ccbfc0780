import type { DecisionLine } from '@bourse/contract/dashboard'
import { type LedgerEvent, type Reservation, spokenActor } from '@bourse/domain/ledger'
import { providersOf, toAmounts } from './figures.ts'

export const RESERVATIONS_MAX = 500
const DECISIONS_MAX = 100
/** A frame with more changes than this would be larger than telling everything again. */
const CHANGES_MAX = 500

/** What a frame must tell: absolute values by id, so telling one twice is harmless. */
export type Changes = {
  clusters: Set<string>
  reservations: Map<string, Reservation>
  ended: Set<string>
  /** Newest last. */
  decisions: DecisionLine[]
  /** Too much happened: tell everything. */
  isOverflown: boolean
}

/**
 * The newest live reservations and decisions, kept from the events as they come: finding the newest
 * 500 among a million on every request would hold up the writer.
 */
export function createRecentActivity(touchCluster: (clusterId: string) => void) {
  const live = new Map<string, Reservation>() // oldest first
  const decisions: DecisionLine[] = [] // newest last
  let changes = noChanges()

  function apply(event: LedgerEvent): void {
    switch (event.kind) {
      case 'founded':
      case 'heard':
      case 'tombstoned':
      case 'peeringOpened':
      case 'peeringPosted':
      case 'peeringTroubled':
      case 'peeringClosed':
        return
      case 'advertised':
      case 'staled':
      case 'returned':
      case 'acceptingChanged':
        touch([event.clusterId])
        return
      case 'decommissioned':
        // An update cannot remove a cluster, and this is rare: the page gets everything again.
        changes.isOverflown = true
        return
      case 'reserved':
        note(reservedLine(event))
        live.set(event.reservation.id, event.reservation)
        trimMap(live, RESERVATIONS_MAX)
        change(event.reservation)
        return
      case 'activated':
      case 'renewed':
        keep(event.reservation)
        return
      case 'released':
        note(endedLine(event))
        drop(event.reservation)
        return
      case 'drained':
        touch(providersOf(event.reservation))
    }
  }

  /** An entry that is too old to be shown stays out, also when it changes. */
  function keep(reservation: Reservation): void {
    if (live.has(reservation.id)) live.set(reservation.id, reservation)
    change(reservation)
  }

  function change(reservation: Reservation): void {
    if (live.has(reservation.id)) changes.reservations.set(reservation.id, reservation)
    touch(providersOf(reservation))
    limitChanges()
  }

  function drop(reservation: Reservation): void {
    changes.reservations.delete(reservation.id)
    if (live.delete(reservation.id)) changes.ended.add(reservation.id)
    touch(providersOf(reservation))
    limitChanges()
  }

  function touch(clusterIds: readonly string[]): void {
    for (const clusterId of clusterIds) {
      changes.clusters.add(clusterId)
      touchCluster(clusterId)
    }
  }

  function limitChanges(): void {
    if (changes.reservations.size + changes.ended.size <= CHANGES_MAX) return
    changes.isOverflown = true
    changes.reservations.clear()
    changes.ended.clear()
  }

  function note(line: DecisionLine): void {
    for (const list of [decisions, changes.decisions]) {
      list.push(line)
      // Trimming in larger steps: an array that shifts on every decision would cost more.
      if (list.length > 2 * DECISIONS_MAX) list.splice(0, list.length - DECISIONS_MAX)
    }
  }

  return {
    apply,
    note,
    live: () => live,
    /** Newest first. */
    decisions: () => decisions.slice(-DECISIONS_MAX).reverse(),
    changes: () => changes,
    /** The live ones from the ledger itself, oldest first. */
    load(reservations: Iterable<Reservation>): void {
      let newest: Reservation[] = []
      for (const reservation of reservations) {
        newest.push(reservation)
        if (newest.length === 2 * RESERVATIONS_MAX) newest = newest.slice(-RESERVATIONS_MAX)
      }
      live.clear()
      for (const reservation of newest.slice(-RESERVATIONS_MAX))
        live.set(reservation.id, reservation)
    },
    /** Decisions made before this process started. */
    recall(lines: readonly DecisionLine[]): void {
      const all = [...lines, ...decisions].map((line) => [`${line.kind} ${line.id}`, line] as const)
      const inOrder = [...new Map(all).values()].sort((a, b) => a.at - b.at)
      decisions.splice(0, decisions.length, ...inOrder)
      // An update adds decisions at the top only.
      changes.isOverflown = true
    },
    takeChanges(): Changes {
      const taken = changes
      changes = noChanges()
      return taken
    },
  }
}

function noChanges(): Changes {
  return {
    clusters: new Set(),
    reservations: new Map(),
    ended: new Set(),
    decisions: [],
    isOverflown: false,
  }
}

function trimMap(map: Map<string, unknown>, sizeMax: number): void {
  const oldest = map.keys().next().value
  if (map.size > sizeMax && oldest !== undefined) map.delete(oldest)
}

/** The latest decisions of these events, which come newest first; oldest first. */
export function recentLines(events: Iterable<LedgerEvent>): readonly DecisionLine[] {
  const lines: DecisionLine[] = []
  for (const event of events) {
    if (event.kind === 'reserved') lines.push(reservedLine(event))
    if (event.kind === 'released') lines.push(endedLine(event))
    if (lines.length === DECISIONS_MAX) break
  }
  return lines.reverse()
}

type Of<K extends LedgerEvent['kind']> = Extract<LedgerEvent, { kind: K }>

export function reservedLine(
  event: Pick<Of<'reserved'>, 'at' | 'reservation' | 'decision'>,
): DecisionLine {
  const { id, requester, wanted } = event.reservation
  const { best, refused } = event.decision
  return { kind: 'reserved', id, at: event.at, requester, wanted: toAmounts(wanted), best, refused }
}

function endedLine({ at, reservation, reason }: Of<'released'>): DecisionLine {
  const { id, requester, wanted, endedBy: by, endedWhy: why } = reservation
  const signature = { ...(by && { by: spokenActor(by) }), ...(why && { why }) }
  const providers = providersOf(reservation)
  const about = { id, at, requester, wanted: toAmounts(wanted) }
  return { kind: 'ended', ...about, reason, providers, ...signature }
}
