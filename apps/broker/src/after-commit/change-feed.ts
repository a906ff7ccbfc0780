import type { LedgerEvent } from '@bourse/domain/ledger'
import type { Committed } from '../ledger/ledger-writer.ts'

/** What somebody may wait for: a cluster's set in one role, one reservation, or any of them. */
export type Watched =
  | Readonly<{ kind: 'requester' | 'provider' | 'party'; clusterId: string }>
  | Readonly<{ kind: 'reservation'; id: string }>
  | Readonly<{ kind: 'all' }>

export type ChangeFeed = {
  /** The index at which the watched set last changed, or one at which it may have. */
  changedAt(watched: Watched): number
  /** Calls back once, at the next change; the returned function gives up waiting. */
  onChange(watched: Watched, wake: () => void): () => void
  /** For the writer's `subscribe`. */
  publish(committed: Committed): void
}

/** Sets whose last change is remembered by name; the oldest beyond this fall under the floor. */
const KEYS_MAX = 200_000

/**
 * Knows when each cluster's sets last changed, and wakes those who wait for it and nobody else.
 * An idle long poll costs an entry here, whatever the others do.
 */
export function createChangeFeed(startIndex: number): ChangeFeed {
  const changed = new Map<string, number>()
  const waiting = new Map<string, Set<() => void>>()
  /** What is not remembered may have changed up to here: those who ask are answered at once. */
  let floor = startIndex
  let head = startIndex

  function changedAt(watched: Watched): number {
    return changed.get(keyOf(watched)) ?? floor
  }

  function onChange(watched: Watched, wake: () => void): () => void {
    const key = keyOf(watched)
    const wakes = waiting.get(key) ?? new Set()
    waiting.set(key, wakes.add(wake))
    return () => {
      wakes.delete(wake)
      if (wakes.size === 0 && waiting.get(key) === wakes) waiting.delete(key)
    }
  }

  function publish({ index, events }: Committed): void {
    head = index
    const keys = new Set<string>()
    for (const event of events) collectKeys(event, keys)
    for (const key of keys) {
      remember(key)
      wakeAll(key)
    }
  }

  function remember(key: string): void {
    // Nobody asks the feed when one reservation changed: it carries its own index.
    if (key.startsWith('reservation:')) return
    // Deleting first keeps the map in order of change, so that its first key is the oldest.
    changed.delete(key)
    changed.set(key, head)
    if (changed.size <= KEYS_MAX) return
    for (const [oldest, index] of changed) {
      floor = Math.max(floor, index)
      changed.delete(oldest)
      break
    }
  }

  function wakeAll(key: string): void {
    const wakes = waiting.get(key)
    if (!wakes) return
    waiting.delete(key)
    for (const wake of wakes) wake()
  }
  return { changedAt, onChange, publish }
}

function collectKeys(event: LedgerEvent, keys: Set<string>): void {
  if (!('reservation' in event)) return
  const { id, requester, legs } = event.reservation
  keys.add('all').add(`reservation:${id}`).add(`requester:${requester}`).add(`party:${requester}`)
  for (const { clusterId } of legs) keys.add(`provider:${clusterId}`).add(`party:${clusterId}`)
}

function keyOf(watched: Watched): string {
  switch (watched.kind) {
    case 'all':
      return 'all'
    case 'reservation':
      return `reservation:${watched.id}`
    case 'requester':
    case 'provider':
    case 'party':
      return `${watched.kind}:${watched.clusterId}`
  }
}
