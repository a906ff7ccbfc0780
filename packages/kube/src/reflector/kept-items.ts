import { type KubeObject, keyOf } from '../objects/objects.ts'
import type { Listener } from './reflector.ts'

type Entry<T> = { item: T; uid: string; version: string; round: number }

type Ports<T, O extends KubeObject> = {
  decode(object: O): T | undefined
  /** A decoder or a listener threw. */
  onThrown(error: Error): void
}

/** The decoded items and their listeners. */
export function createKeptItems<T, O extends KubeObject>(ports: Ports<T, O>) {
  const entries = new Map<string, Entry<T>>()
  const listeners = new Set<Listener<T>>()
  /** Keys of noted writes that the watch has not delivered yet. */
  const noted = new Set<string>()
  let round = 0
  let isInRound = false

  function guard<Result>(call: () => Result): Result | undefined {
    try {
      return call()
    } catch (thrown) {
      // An error of one listener must not stop the others.
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
    if (before?.uid === uid && isKnown(key, before.version, version)) {
      before.round = round
      return
    }
    noted.delete(key)
    take(object, round)
  }

  /** The same version, or one from before our own write. */
  function isKnown(key: string, known: string, version: string): boolean {
    if (known === version) noted.delete(key)
    // A list always counts: after a restore of etcd, versions go back.
    return known === version || (!isInRound && noted.has(key) && isLater(known, version))
  }

  function take(object: O, seenIn: number): void {
    const { uid = '', resourceVersion: version = '' } = object.metadata
    const key = keyOf(object.metadata)
    const before = entries.get(key)
    const decoded = guard(() => ({ item: ports.decode(object) }))
    // It cannot be decoded: keep the last known item, since the object still exists.
    if (decoded === undefined) {
      if (before) before.round = seenIn
      return
    }
    if (before && (before.uid !== uid || decoded.item === undefined)) drop(key, before)
    if (decoded.item !== undefined) keep(key, { item: decoded.item, uid, version, round: seenIn })
  }

  /** The answer to our own write: it counts until the watch has caught up. */
  function note(answer: O): void {
    const { uid = '', resourceVersion: version = '' } = answer.metadata
    const key = keyOf(answer.metadata)
    const before = entries.get(key)
    // Deleted or replaced meanwhile: only the watch says what exists.
    if (before?.uid !== uid || !isLater(version, before.version)) return
    noted.add(key)
    take(answer, before.round)
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
    noted.delete(key)
    tell((listener) => listener.removed?.(item, key))
  }

  return {
    entries: entries as ReadonlyMap<string, Readonly<{ item: T }>>,
    see,
    note,
    /** From here on everything the watch delivers counts, even if older than a noted write. */
    forgetNoted: () => noted.clear(),
    /** Starts a full list; `endRound` removes the objects that were not in it. */
    beginRound(): void {
      round++
      isInRound = true
    },
    endRound(): void {
      isInRound = false
      for (const [key, entry] of entries) if (entry.round !== round) drop(key, entry)
      tell((listener) => listener.synced?.())
    },
    remove(object: O): void {
      const key = keyOf(object.metadata)
      const entry = entries.get(key)
      if (entry) drop(key, entry)
    },
    subscribe(listener: Listener<T>, isSynced: boolean): () => void {
      listeners.add(listener)
      for (const [key, { item }] of entries) guard(() => listener.added?.(item, key))
      if (isSynced) guard(() => listener.synced?.())
      return () => listeners.delete(listener)
    },
  }
}

const NUMBER = /^\d+$/

/** Versions of the same etcd grow; a version that is not a number cannot be compared. */
function isLater(one: string, other: string): boolean {
  if (!NUMBER.test(one) || !NUMBER.test(other)) return false
  return one.length === other.length ? one > other : one.length > other.length
}
