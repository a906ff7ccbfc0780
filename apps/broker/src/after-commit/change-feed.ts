import type { LedgerEvent } from '@bourse/domain/ledger'
import type { Committed } from '../ledger/writer/ledger-writer.ts'

/**
 * What a long poll may wait for: a cluster's reservations in one role, one reservation, or any of
 * them; the peering sessions of one cluster, or any of those.
 */
export type Watched =
  | Readonly<{ kind: 'requester' | 'provider' | 'party'; clusterId: string }>
  | Readonly<{ kind: 'reservation'; id: string; providers: readonly string[] }>
  | Readonly<{ kind: 'all' }>
  | Readonly<{ kind: 'peer'; clusterId: string }>
  | Readonly<{ kind: 'peers' }>

export type ChangeFeed = ReturnType<typeof createChangeFeed>

const KINDS = ['requester', 'provider', 'reservation', 'about', 'all', 'peer', 'peers'] as const
type Kind = (typeof KINDS)[number]
type PeeringEvent = Extract<LedgerEvent, { provider: string }>
type Key = readonly [kind: Kind, id: string]

/** Sets of each kind whose last change is remembered; the first beyond fall under the floor. */
const KEYS_MAX = 100_000
/** Go together: a map in which the first are gone takes long to find the first. */
const KEYS_LET_GO = 10_000

/**
 * Knows when each cluster's sets last changed, and wakes only the polls that wait for them. An idle
 * long poll costs one entry here.
 */
export function createChangeFeed(startIndex: number) {
  // A map a kind: to put a key together for each event would take longer than to note it.
  const changed = byKind(() => new Map<string, number>())
  const waiting = byKind(() => new Map<string, Set<() => void>>())
  /** Older changes are not remembered: a poll from before this index is answered at once. */
  let floor = startIndex

  return { changedAt, onChange, publish, concern }

  /**
   * The index at which the watched set last changed, or one at which it may have; of one
   * reservation, at which something about its providers did.
   */
  function changedAt(watched: Watched): number {
    return Math.max(...keysOf(watched).map(([kind, id]) => changed[kind].get(id) ?? floor))
  }

  /** Calls back once, at the next change; the returned function gives up waiting. */
  function onChange(watched: Watched, wake: () => void): () => void {
    const keys = keysOf(watched)
    for (const [kind, id] of keys)
      waiting[kind].set(id, (waiting[kind].get(id) ?? new Set()).add(wakeOnce))
    return giveUp

    function wakeOnce(): void {
      giveUp()
      wake()
    }

    function giveUp(): void {
      for (const [kind, id] of keys) {
        const wakes = waiting[kind].get(id)
        wakes?.delete(wakeOnce)
        if (wakes?.size === 0) waiting[kind].delete(id)
      }
    }
  }

  /** For the writer's `subscribe`. */
  function publish({ index, events }: Committed): void {
    for (const event of events) note(event, index)
  }

  function note(event: LedgerEvent, index: number): void {
    if ('provider' in event) notePeering(event, index)
    if (!('reservation' in event)) return
    // A reservation knows when it changed: an entry for each would be as many as there are.
    wakeAll('reservation', event.reservation.id)
    const { requester, legs } = event.reservation
    touch('requester', requester, index)
    for (const { clusterId } of legs) touch('provider', clusterId, index)
    touch('all', '', index)
  }

  /** A change of a provider's note is new to every requester with a reservation there. */
  function concern(provider: string, holders: Iterable<string>, index: number): void {
    for (const requester of holders) touch('requester', requester, index)
    touch('provider', provider, index)
    touch('about', provider, index)
    touch('all', '', index)
  }

  function notePeering({ requester, provider }: PeeringEvent, index: number): void {
    touch('peer', requester, index)
    touch('peer', provider, index)
    touch('peers', '', index)
  }

  function touch(kind: Kind, id: string, index: number): void {
    const indexes = changed[kind]
    if (indexes.size >= KEYS_MAX && !indexes.has(id)) makeRoom(indexes)
    indexes.set(id, index)
    wakeAll(kind, id)
  }

  /** By the first that came, not by the last change: to keep that order costs every event more. */
  function makeRoom(indexes: Map<string, number>): void {
    let gone = 0
    for (const [first, index] of indexes) {
      floor = Math.max(floor, index)
      indexes.delete(first)
      gone += 1
      if (gone === KEYS_LET_GO) break
    }
  }

  function wakeAll(kind: Kind, id: string): void {
    for (const wake of waiting[kind].get(id) ?? []) wake()
  }
}

/** A party's set changes when it requests and when it provides. */
function keysOf(watched: Watched): readonly Key[] {
  switch (watched.kind) {
    case 'all':
    case 'peers':
      return [[watched.kind, '']]
    case 'reservation':
      return [['reservation', watched.id], ...watched.providers.map(aboutProvider)]
    case 'party':
      return [
        ['requester', watched.clusterId],
        ['provider', watched.clusterId],
      ]
    case 'requester':
    case 'provider':
    case 'peer':
      return [[watched.kind, watched.clusterId]]
  }
}

const aboutProvider = (clusterId: string): Key => ['about', clusterId]

function byKind<T>(create: () => T) {
  return Object.fromEntries(KINDS.map((kind) => [kind, create()])) as Record<Kind, T>
}
