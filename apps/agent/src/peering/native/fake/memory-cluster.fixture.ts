import { randomUUID } from 'node:crypto'
import {
  type Kind,
  type KubeClient,
  KubeError,
  type KubeObject,
  keyOf,
  type Ref,
  type WatchEvent,
} from '@bourse/kube'
import { matches } from './selection.fixture.ts'

type Entry = Readonly<{ plural: string; event: WatchEvent }>
type Writable = { -readonly [Key in keyof KubeObject]: KubeObject[Key] }

export type MemoryCluster = Readonly<{
  client: KubeClient
  all<T extends KubeObject>(kind: Kind): T[]
  find<T extends KubeObject>(kind: Kind, name: string): T | undefined
  /** Told after each change. */
  subscribe(listener: () => void): () => void
}>

/**
 * As much of an API server as peering uses, in memory: versions, finalizers, owners, selectors,
 * watches. What it does not do is tested on a real one.
 */
export function createMemoryCluster(): MemoryCluster {
  const stored = new Map<string, Map<string, KubeObject>>()
  const log: Entry[] = []
  const listeners = new Set<() => void>()
  const waiting = new Set<() => void>()

  const itemsOf = ({ group, plural }: Kind) => {
    const name = `${plural}.${group}`
    const known = stored.get(name) ?? new Map<string, KubeObject>()
    stored.set(name, known)
    return known
  }
  const watched = ({ group, plural }: Kind) => `${plural}.${group}`

  function tell(kind: Kind, type: 'ADDED' | 'MODIFIED' | 'DELETED', object: KubeObject): void {
    log.push({ plural: watched(kind), event: { type, object } })
    for (const wake of waiting) wake()
    waiting.clear()
    for (const listener of listeners) setImmediate(listener)
  }

  function stamped(object: KubeObject, more: object = {}): KubeObject {
    const metadata = { ...object.metadata, ...more, resourceVersion: `${log.length + 1}` }
    return structuredClone({ ...object, metadata })
  }

  function read(kind: Kind, ref: Ref): KubeObject {
    const found = itemsOf(kind).get(keyOf(plain(kind, ref)))
    if (!found) throw refusal(404, 'NotFound', kind, ref.name)
    return found
  }

  function write(kind: Kind, before: KubeObject, next: KubeObject): KubeObject {
    const { uid, resourceVersion } = next.metadata
    if (uid !== undefined && uid !== before.metadata.uid)
      throw refusal(409, 'Conflict', kind, next.metadata.name)
    if (resourceVersion !== undefined && resourceVersion !== before.metadata.resourceVersion)
      throw refusal(409, 'Conflict', kind, next.metadata.name)
    if (JSON.stringify(bare(before)) === JSON.stringify(bare(next))) return before
    const key = keyOf(plain(kind, before.metadata))
    const { uid: _, deletionTimestamp } = before.metadata
    const kept = { uid: before.metadata.uid, ...(deletionTimestamp && { deletionTimestamp }) }
    const object = stamped(next, kept)
    if (deletionTimestamp && (object.metadata.finalizers ?? []).length === 0) {
      itemsOf(kind).delete(key)
      tell(kind, 'DELETED', object)
      collect(object.metadata.uid)
      return object
    }
    itemsOf(kind).set(key, object)
    tell(kind, 'MODIFIED', object)
    return object
  }

  /** What the deleted object owned is deleted, too. */
  function collect(owner: string | undefined): void {
    for (const [name, objects] of stored) {
      const [plural = '', ...group] = name.split('.')
      const kind = { group: group.join('.'), version: '', plural, kind: '', namespaced: true }
      for (const { metadata } of [...objects.values()])
        if (metadata.ownerReferences?.some(({ uid }) => uid === owner)) remove(kind, metadata)
    }
  }

  function remove(kind: Kind, ref: Ref): void {
    const found = read(kind, ref)
    const key = keyOf(plain(kind, ref))
    if ((found.metadata.finalizers ?? []).length === 0) {
      itemsOf(kind).delete(key)
      tell(kind, 'DELETED', stamped(found))
      collect(found.metadata.uid)
      return
    }
    if (found.metadata.deletionTimestamp) return
    const object = stamped(found, { deletionTimestamp: new Date().toISOString() })
    itemsOf(kind).set(key, object)
    tell(kind, 'MODIFIED', object)
  }

  const client = {
    namespace: 'default',
    async get(kind, name, namespace) {
      return structuredClone(read(kind, { name, namespace }))
    },
    async list(kind, options = {}) {
      const items = [...itemsOf(kind).values()].filter((one) => matches(one, options))
      return { items: structuredClone(items), resourceVersion: `${log.length}` }
    },
    async *pages(kind, options) {
      yield { ...(await client.list(kind, options)), isFirst: true }
    },
    async create(kind, object) {
      const key = keyOf(plain(kind, object.metadata))
      if (itemsOf(kind).has(key)) throw refusal(409, 'AlreadyExists', kind, object.metadata.name)
      const given = { uid: randomUUID(), creationTimestamp: new Date().toISOString() }
      const made = stamped(object, given)
      itemsOf(kind).set(key, made)
      tell(kind, 'ADDED', made)
      return structuredClone(made)
    },
    async replace(kind, object) {
      return structuredClone(write(kind, read(kind, object.metadata), object))
    },
    async replaceStatus(kind, object) {
      const before = read(kind, object.metadata)
      return structuredClone(write(kind, before, { ...before, status: object.status }))
    },
    async mergePatch(kind, ref, patch) {
      const before = read(kind, ref)
      const unversioned = { ...before, metadata: { ...before.metadata } } as Writable
      const { resourceVersion: _, uid: __, ...metadata } = before.metadata
      unversioned.metadata = metadata
      return structuredClone(write(kind, before, merged(unversioned, patch) as KubeObject))
    },
    async apply() {
      throw new Error('Nothing here applies.')
    },
    async delete(kind, ref) {
      remove(kind, ref)
    },
    async *watch(kind, { resourceVersion = '0', signal, ...selection } = {}) {
      for (let at = Number(resourceVersion); !signal?.aborted; ) {
        const next = log[at]
        if (next) {
          at++
          if (next.plural !== watched(kind) || next.event.type === 'BOOKMARK') continue
          if (matches(next.event.object, selection)) yield structuredClone(next.event)
        } else await stir(signal)
      }
    },
    /** Evictions alone. */
    async raw(_, path) {
      const [, namespace = '', name = ''] = /namespaces\/([^/]+)\/pods\/([^/]+)/.exec(path) ?? []
      remove(POD, { name, namespace })
      return undefined
    },
    serverTime: () => undefined,
    async close() {},
  } as KubeClient

  function stir(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((wake) => {
      waiting.add(wake)
      signal?.addEventListener('abort', () => wake(), { once: true })
    })
  }

  return {
    client,
    // The kinds that a test asks for are those that it has put there.
    all: <T extends KubeObject>(kind: Kind) => [...itemsOf(kind).values()] as T[],
    find: <T extends KubeObject>(kind: Kind, name: string) =>
      [...itemsOf(kind).values()].find(({ metadata }) => metadata.name === name) as T | undefined,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

const POD: Kind = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true }

function plain({ namespaced }: Kind, { name, namespace }: Ref): Ref {
  return namespaced && namespace !== undefined ? { name, namespace } : { name }
}

function bare(object: KubeObject): unknown {
  const { resourceVersion: _, uid: __, ...metadata } = object.metadata
  return { ...object, metadata }
}

function merged(before: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch
  const next: Record<string, unknown> = { ...(before as object | undefined) }
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete next[name]
    else if (value !== undefined) next[name] = merged(next[name], value)
  }
  return next
}

function refusal(status: number, reason: string, { plural }: Kind, name: string): KubeError {
  return new KubeError(`${plural} "${name}": ${reason}`, { status, reason })
}
