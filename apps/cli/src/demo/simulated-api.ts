import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import {
  type Kind,
  type KubeClient,
  KubeError,
  type KubeObject,
  keyOf,
  type Selection,
  type WatchEvent,
  type WatchOptions,
} from '@bourse/kube'

type Line = Readonly<{ version: number; kind: string; event: WatchEvent }>
type Loose = Record<string, unknown>

/** Older changes are dropped: a watch that begins before them lists again. */
const TOLD_MAX = 2_000

export type SimulatedApi = ReturnType<typeof createSimulatedApi>

/** An API server in a few maps: enough for an agent to work on, without a cluster behind it. */
export function createSimulatedApi() {
  const objects = new Map<string, Map<string, KubeObject>>()
  const news = new EventTarget()
  let told: Line[] = []
  let version = 1

  const objectsOf = ({ plural }: Kind) => {
    const found = objects.get(plural) ?? new Map<string, KubeObject>()
    objects.set(plural, found)
    return found
  }

  function tell(kind: Kind, type: 'ADDED' | 'MODIFIED' | 'DELETED', object: KubeObject): void {
    told = [...told.slice(-TOLD_MAX), { version, kind: kind.plural, event: { type, object } }]
    news.dispatchEvent(new Event('told'))
  }

  /** Stores the object, or removes it once it is deleted and has no finalizers. */
  function put<T extends KubeObject>(kind: Kind, object: T): T {
    const key = keyOf(object.metadata)
    const { deletionTimestamp, finalizers = [] } = object.metadata
    version += 1
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: `${version}` } }
    const isGone = deletionTimestamp !== undefined && finalizers.length === 0
    const isNew = !objectsOf(kind).has(key)
    if (isGone) objectsOf(kind).delete(key)
    else objectsOf(kind).set(key, stored)
    tell(kind, isGone ? 'DELETED' : isNew ? 'ADDED' : 'MODIFIED', stored)
    return stored
  }

  function find<T extends KubeObject>(kind: Kind, key: string): T {
    const found = objectsOf(kind).get(key)
    if (!found) throw refusal(404, 'NotFound', key)
    // The caller knows the shape of the kind, as with a real API server.
    return found as T
  }

  async function create<T extends KubeObject>(kind: Kind, object: T): Promise<T> {
    const key = keyOf(object.metadata)
    // The Events of a simulated cluster have no reader.
    if (kind.plural === 'events') return object
    if (objectsOf(kind).has(key)) throw refusal(409, 'AlreadyExists', key)
    const created = {
      uid: randomUUID(),
      creationTimestamp: new Date().toISOString(),
      generation: 1,
    }
    return put(kind, { ...object, metadata: { ...object.metadata, ...created } })
  }

  async function change<T extends KubeObject>(kind: Kind, key: string, patch: Loose): Promise<T> {
    const there = find<T>(kind, key)
    // Both are objects of one kind.
    const merged = merge(there as unknown as Loose, patch) as unknown as T
    expectVersion(there, merged.metadata.resourceVersion, key)
    return put(kind, merged)
  }

  async function remove(kind: Kind, key: string): Promise<void> {
    const there = find(kind, key)
    const deletionTimestamp = new Date().toISOString()
    put(kind, { ...there, metadata: { ...there.metadata, deletionTimestamp } })
  }

  async function* watch<T extends KubeObject>(
    kind: Kind,
    { resourceVersion, sendInitialEvents, signal, ...selection }: WatchOptions,
  ): AsyncGenerator<WatchEvent<T>> {
    let seen = sendInitialEvents ? version : Number(resourceVersion ?? 0)
    if (sendInitialEvents) {
      for (const object of list<T>(kind, selection)) yield { type: 'ADDED', object }
      yield { type: 'BOOKMARK', resourceVersion: `${seen}`, endsInitialEvents: true }
    }
    while (!signal?.aborted) {
      const fresh = told.filter((line) => line.version > seen && line.kind === kind.plural)
      seen = version
      for (const { event } of fresh)
        if (event.type !== 'BOOKMARK' && isMeant(event.object, selection))
          yield event as WatchEvent<T> // of the kind that was asked for
      if (version === seen)
        await once(news, 'told', signal ? { signal } : {}).catch(() => undefined)
    }
  }

  const list = <T extends KubeObject>(kind: Kind, selection: Selection = {}) =>
    // Of the kind that was asked for.
    [...objectsOf(kind).values()].filter((object) => isMeant(object, selection)) as T[]

  const client: KubeClient = {
    namespace: 'default',
    get: async (kind, name, namespace) => find(kind, keyOf({ name, namespace })),
    list: async (kind, options) => ({ items: list(kind, options), resourceVersion: `${version}` }),
    async *pages(kind, options) {
      yield { items: list(kind, options), resourceVersion: `${version}`, isFirst: true }
    },
    create,
    async replace(kind, object) {
      const key = keyOf(object.metadata)
      expectVersion(find(kind, key), object.metadata.resourceVersion, key)
      return put(kind, object)
    },
    replaceStatus: (kind, { metadata, status }) => change(kind, keyOf(metadata), { status }),
    mergePatch: (kind, ref, patch) => change(kind, keyOf(ref), { ...patch }),
    apply(kind, { metadata, ...parts }) {
      const isThere = objectsOf(kind).has(keyOf(metadata))
      const body = {
        apiVersion: `${kind.group}/${kind.version}`,
        kind: kind.kind,
        metadata,
        ...parts,
      }
      // What is applied is a whole object as far as this server is concerned.
      return isThere ? change(kind, keyOf(metadata), parts) : create(kind, body as never)
    },
    delete: (kind, ref) => remove(kind, keyOf(ref)),
    watch: (kind, options = {}) => watch(kind, options),
    raw: () => Promise.reject(refusal(404, 'NotFound', 'that address')),
    serverTime: () => undefined,
    close: async () => {},
  }
  return { client, put: (kind: Kind, object: KubeObject) => put(kind, object), remove }
}

function isMeant({ metadata }: KubeObject, { namespace, fieldSelector = '' }: Selection): boolean {
  const name = /(?:^|,)metadata\.name=([^,]+)/.exec(fieldSelector)?.[1]
  return (
    (namespace === undefined || metadata.namespace === namespace) &&
    (name === undefined || metadata.name === name)
  )
}

/** A JSON merge patch: null removes, objects are merged, all else is replaced. */
function merge(there: Loose, patch: Loose): Loose {
  const merged = { ...there }
  for (const [name, value] of Object.entries(patch)) {
    const before = merged[name]
    if (value === null) delete merged[name]
    else if (isTable(value)) merged[name] = merge(isTable(before) ? before : {}, value)
    else merged[name] = value
  }
  return merged
}

function isTable(value: unknown): value is Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function expectVersion({ metadata }: KubeObject, asked: string | undefined, key: string): void {
  if (asked !== undefined && asked !== metadata.resourceVersion) throw refusal(409, 'Conflict', key)
}

function refusal(status: number, reason: string, what: string): KubeError {
  return new KubeError(`${what}: ${reason}`, { status, reason })
}
