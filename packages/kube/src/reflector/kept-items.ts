import { type KubeObject, keyOf } from '../objects.ts'
import type { Listener } from './reflector.ts'

type Entry<T> = { item: T; uid: string; version: string; round: number }

type Ports<T, O extends KubeObject> = {
  decode(object: O): T | undefined
  /** A decoder or a listener threw. */
  onThrown(error: Error): void
}

export type KeptItems<T, O extends KubeObject> = {
  readonly entries: ReadonlyMap<string, Readonly<{ item: T }>>
  /** From here on objects are seen again; `endRound` removes those that were not. */
  beginRound(): void
  endRound(): void
  see(object: O): void
  remove(object: O): void
  subscribe(listener: Listener<T>, isSynced: boolean): () => void
}

/** What was decoded of each object, and who is told when it changes. */
export function createKeptItems<T, O extends KubeObject>(ports: Ports<T, O>): KeptItems<T, O> {
  const entries = new Map<string, Entry<T>>()
  const listeners = new Set<Listener<T>>()
  let round = 0

  function guard<Result>(call: () => Result): Result | undefined {
    try {
      return call()
    } catch (thrown) {
      // One listener's fault must not keep the news from the others.
      ports.onThrown(thrown instanceof Error ? thrown : new Error(String(thrown)))
      return undefined
    }
  }

  function tell(news: (listener: Listener<T>) => void): void {
    for (const listener of listeners) guard(() => news(listener))
  }

  function see(object: O): void {
    const { uid = '', resourceVersion: version = '' } = object.metadata
    const key = keyOf(object.metadata)
    const before = entries.get(key)
    if (before?.version === version && before.uid === uid) {
      before.round = round
      return
    }
    const decoded = guard(() => ({ item: ports.decode(object) }))
    // It cannot be read: what was known of it stays, for a removal would be a claim.
    if (decoded === undefined) {
      if (before) before.round = round
      return
    }
    if (before && (before.uid !== uid || decoded.item === undefined)) drop(key, before)
    if (decoded.item !== undefined) keep(key, { item: decoded.item, uid, version, round })
  }

  function keep(key: string, entry: Entry<T>): void {
    const before = entries.get(key)
    entries.set(key, entry)
    tell((listener) =>
      before ? listener.changed?.(entry.item, before.item, key) : listener.added?.(entry.item, key),
    )
  }

  function drop(key: string, { item }: Entry<T>): void {
    entries.delete(key)
    tell((listener) => listener.removed?.(item, key))
  }

  return {
    entries,
    see,
    beginRound() {
      round++
    },
    endRound() {
      for (const [key, entry] of entries) if (entry.round !== round) drop(key, entry)
      tell((listener) => listener.synced?.())
    },
    remove(object) {
      const key = keyOf(object.metadata)
      const entry = entries.get(key)
      if (entry) drop(key, entry)
    },
    subscribe(listener, isSynced) {
      listeners.add(listener)
      for (const [key, { item }] of entries) guard(() => listener.added?.(item, key))
      if (isSynced) guard(() => listener.synced?.())
      return () => listeners.delete(listener)
    },
  }
}
