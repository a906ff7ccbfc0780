import { type Kind, KubeError, type KubeObject, type WatchEvent } from '@bourse/kube'
import type { Objects } from './kinds.ts'

/** What an API server may do to a write: refuse it, or do it and lose the answer. */
export type Fault = Readonly<{ error: KubeError; isDone: boolean }>

export type FakeObjects = Objects & {
  /** Asked before each write; a fault ends it. */
  onWrite?: ((verb: 'create' | 'replace', object: KubeObject) => Fault | undefined) | undefined
  all(kind: Kind): readonly KubeObject[]
  /** Ends all watches, as a restart of the server does. */
  cutWatches(): void
  /** The longest object so far, in bytes as etcd would get them. */
  readonly bytesMax: number
}

/**
 * The part of an API server that a store is made of: names, versions, and conflicts. The suites run
 * against a real one as well; this one is quick, and fails on request.
 */
export function createFakeObjects(): FakeObjects {
  const places = new Map<string, KubeObject>()
  const watchers = new Set<Watcher>()
  let version = 0
  const self: { onWrite?: FakeObjects['onWrite'] } = {}
  let bytesMax = 0

  return {
    get: async (kind, name) => found(places.get(keyOf(kind, name)), name),
    async *pages(kind) {
      yield { items: all(kind) as never, resourceVersion: String(version), isFirst: true }
    },
    create: async (kind, object) => write('create', kind, object),
    replace: async (kind, object) => write('replace', kind, object),
    watch: (kind, { resourceVersion, signal } = {}) =>
      createWatcher(kind, Number(resourceVersion), signal) as never,
    all,
    cutWatches: () => {
      for (const watcher of watchers) watcher.end()
    },
    get bytesMax() {
      return bytesMax
    },
    get onWrite() {
      return self.onWrite
    },
    set onWrite(fault) {
      self.onWrite = fault
    },
  }

  function all(kind: Kind): readonly KubeObject[] {
    return Array.from(places)
      .filter(([key]) => key.startsWith(`${kind.plural}/`))
      .map(([, object]) => object)
  }

  function write<T extends KubeObject>(verb: 'create' | 'replace', kind: Kind, object: T): T {
    const fault = self.onWrite?.(verb, object)
    if (fault && !fault.isDone) throw fault.error
    const stored = store(verb, kind, object)
    if (fault) throw fault.error
    return stored
  }

  function store<T extends KubeObject>(verb: 'create' | 'replace', kind: Kind, object: T): T {
    const key = keyOf(kind, object.metadata.name)
    const there = places.get(key)
    if (verb === 'create' && there) throw refusal(409, 'AlreadyExists')
    if (verb === 'replace' && !there) throw refusal(404, 'NotFound')
    if (verb === 'replace' && there?.metadata.resourceVersion !== object.metadata.resourceVersion)
      throw refusal(409, 'Conflict')
    bytesMax = Math.max(bytesMax, Buffer.byteLength(JSON.stringify(object)))
    const metadata = { ...object.metadata, resourceVersion: String(++version) }
    const stored = { ...object, metadata }
    places.set(key, stored)
    for (const watcher of watchers) watcher.tell(kind, { type: 'MODIFIED', object: stored })
    return stored
  }

  type Watcher = { tell(kind: Kind, event: WatchEvent): void; end(): void }

  async function* createWatcher(wanted: Kind, since: number, signal?: AbortSignal) {
    let events: WatchEvent[] = all(wanted)
      .filter(({ metadata }) => Number(metadata.resourceVersion) > since)
      .map((object) => ({ type: 'MODIFIED', object }))
    let isOver = false
    let wake = () => {}
    const end = () => {
      isOver = true
      wake()
    }
    const watcher: Watcher = {
      end,
      tell(kind, event) {
        if (kind.plural === wanted.plural) events.push(event)
        wake()
      },
    }
    watchers.add(watcher)
    signal?.addEventListener('abort', end)
    while (!isOver) {
      const told = events
      events = []
      yield* told
      if (events.length === 0 && !isOver)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
    watchers.delete(watcher)
  }
}

export const refusal = (status: number, reason: string) =>
  new KubeError(`The API server says ${reason}.`, { status, reason })

const keyOf = (kind: Kind, name: string) => `${kind.plural}/${name}`

function found<T extends KubeObject>(object: KubeObject | undefined, name: string): T {
  if (!object) throw refusal(404, `NotFound: ${name}`)
  // The test that wrote it knows what it is.
  return object as T
}
