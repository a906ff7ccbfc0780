import { isGone, KubeError } from '../client/errors.ts'
import type { KubeClient, Selection } from '../client/kube-client.ts'
import type { Kind, KubeObject, ObjectMeta, WatchEvent } from '../objects/objects.ts'
import { type Backoff, backoffMs, type Clock, pause, systemClock } from '../time/clock.ts'
import { createKeptItems } from './kept-items.ts'
import { createStallWatch } from './stall-watch.ts'

/** Told of every change, in order, after it is in the reflector. All are optional. */
export type Listener<T> = Readonly<{
  added?(item: T, key: string): void
  changed?(item: T, before: T, key: string): void
  removed?(last: T, key: string): void
  /** A full list is in: once at first, and again after each re-list. */
  synced?(): void
}>

export type ReflectorOptions<T, O extends KubeObject = KubeObject> = Selection &
  Readonly<{
    client: Pick<KubeClient, 'pages' | 'watch'>
    kind: Kind
    /** What is kept of an object; undefined: nothing. The object itself is dropped. */
    decode(object: O): T | undefined
    on?: Listener<T>
    /** Something failed and is tried again after the pause, or a listener threw. */
    onTrouble?(error: Error, pauseMs: number): void
    /** Without event or bookmark for this long the watch counts as dead. */
    stallMs?: number
    pageSize?: number
    /**
     * Everything comes by the watch at first, object by object, where the server can: a list of
     * pages takes many times the memory of what is kept, and keeps it.
     */
    isStreamed?: boolean
    /** As of a watch: changes in quick succession may be told so much later, for less work. */
    gatherMs?: number
    clock?: Clock
  }>

/** A live copy of a list. Starts by itself. */
export type Reflector<T> = {
  readonly kind: Kind
  /** Resolves when the first full list is in; rejects when stopped before. */
  readonly synced: Promise<void>
  isSynced(): boolean
  get(key: string): T | undefined
  keys(): IterableIterator<string>
  items(): IterableIterator<T>
  size(): number
  /** Everything up to this version is in. */
  resourceVersion(): string | undefined
  /** Told of all that is there, then of every change; the answer ends it. */
  subscribe(listener: Listener<T>): () => void
  /**
   * The answer to a write of ours: listeners hear of it now, and not again when the watch tells of
   * it. What the watch still tells from before it is passed over, until the watch has told of that
   * object or begins anew: whatever happens to versions, nobody is deaf for longer.
   */
  note(answer: KubeObject): void
  stop(): Promise<void>
}

const BACKOFF: Backoff = { baseMs: 500, capMs: 30_000 }
/** A quiet watch of Kubernetes 1.36 has its first bookmark after up to two minutes. */
const STALL_MS = 3 * 60_000
/** Watches end by themselves in between, so that they spread over several API servers. */
const WATCH_SECONDS_MIN = 300
/** A version that the server refuses so often is not one it will ever know (a restored etcd). */
const REFUSALS_MAX = 5

/**
 * ```
 *            ┌────────── 410, or refused too often ──────────┐
 *            ▼                                               │
 *   list all pages ──► watch from the list's version ──► closed, cut, silent, error
 *            ▲                     ▲                         │
 *            └── failed: pause     └──── pause, resume ──────┘
 * ```
 * Streamed, the list is the first part of the watch, up to a bookmark.
 */
export function createReflector<T, O extends KubeObject = KubeObject>(
  options: ReflectorOptions<T, O>,
): Reflector<T> {
  const { client, kind, clock = systemClock, onTrouble = () => {} } = options
  const selection = selectionOf(options)
  const stopping = new AbortController()
  const first = Promise.withResolvers<void>()
  const kept = createKeptItems<T, O>({
    decode: options.decode,
    onThrown: (error) => onTrouble(error, 0),
  })
  let version: string | undefined
  let isSynced = false
  let troubles = 0
  let refusals = 0
  let isStreamed = options.isStreamed ?? false

  async function list(): Promise<void> {
    const { signal } = stopping
    let listed: string | undefined
    const limit = options.pageSize
    for await (const page of client.pages<O>(kind, { ...selection, limit, signal })) {
      if (page.isFirst) kept.beginRound()
      for (const object of page.items) kept.see(object)
      listed = page.resourceVersion
    }
    noteAllSeen(listed)
  }

  function noteAllSeen(upTo: string | undefined): void {
    kept.endRound()
    version = upTo
    isSynced = true
    first.resolve()
  }

  /** Whether it told anything before it ended. */
  async function watch(): Promise<boolean> {
    kept.forgetNoted()
    const sendInitialEvents = version === undefined ? true : undefined
    if (sendInitialEvents) kept.beginRound()
    using stall = createStallWatch(options.stallMs ?? STALL_MS, clock, stopping.signal)
    const timeoutSeconds = Math.round(WATCH_SECONDS_MIN * (1 + clock.random()))
    const { gatherMs } = options
    const from = { ...selection, resourceVersion: version, sendInitialEvents, timeoutSeconds }
    let isHeard = false
    for await (const event of client.watch<O>(kind, { ...from, gatherMs, signal: stall.signal })) {
      isHeard = true
      stall.heard()
      troubles = 0
      refusals = 0
      take(event)
    }
    return isHeard && version !== undefined
  }

  function take(event: WatchEvent<O>): void {
    if (event.type === 'BOOKMARK') {
      if (event.endsInitialEvents) noteAllSeen(event.resourceVersion)
      else resumeFrom(event.resourceVersion)
      return
    }
    if (event.type === 'DELETED') kept.remove(event.object)
    else kept.see(event.object)
    resumeFrom(event.object.metadata.resourceVersion)
  }

  /** Cut off before everything was told, it must all be told again. */
  function resumeFrom(told: string | undefined): void {
    if (version !== undefined) version = told
  }

  function noteFault(fault: Error): number {
    if (fault instanceof KubeError && fault.status !== 0 && !isBusy(fault)) refusals++
    if (isGone(fault) || refusals >= REFUSALS_MAX) {
      version = undefined
      refusals = 0
    }
    const atLeastMs = fault instanceof KubeError ? (fault.retryAfterSeconds ?? 0) * 1_000 : 0
    return atLeastMs + backoffMs(++troubles, BACKOFF, clock.random())
  }

  async function run(): Promise<void> {
    const { signal } = stopping
    while (!signal.aborted) {
      try {
        if (version === undefined && !isStreamed) await list()
        // A watch that told something may end; one that ends at once, again and again, would spin.
        if (await watch()) continue
        await pause(clock, backoffMs(++troubles, BACKOFF, clock.random()), signal)
      } catch (thrown) {
        if (signal.aborted) return
        const fault = thrown instanceof Error ? thrown : new Error(String(thrown))
        if (isStreamed && version === undefined && isUnable(fault)) {
          isStreamed = false
          continue
        }
        const pauseMs = noteFault(fault)
        onTrouble(fault, pauseMs)
        await pause(clock, pauseMs, signal)
      }
    }
  }

  if (options.on) kept.subscribe(options.on, false)
  first.promise.then(undefined, () => {})
  const running = run()

  return {
    kind,
    synced: first.promise,
    isSynced: () => isSynced,
    get: (key) => kept.entries.get(key)?.item,
    keys: () => kept.entries.keys(),
    items: () => itemsOf(kept.entries),
    size: () => kept.entries.size,
    resourceVersion: () => version,
    subscribe: (listener) => kept.subscribe(listener, isSynced),
    note: (answer) => kept.note(withoutManagers(answer) as O),
    async stop() {
      stopping.abort()
      first.reject(stoppedEarly(kind))
      await running
    },
  }
}

function* itemsOf<T>(entries: ReadonlyMap<string, { item: T }>): Generator<T> {
  for (const { item } of entries.values()) yield item
}

/** An older server, which can only list. */
function isUnable(fault: Error): boolean {
  return fault instanceof KubeError && (fault.status === 400 || fault.status === 422)
}

function isBusy({ status }: KubeError): boolean {
  return status === 429 || status === 503
}

function selectionOf({ namespace, labelSelector, fieldSelector }: Selection): Selection {
  return { namespace, labelSelector, fieldSelector }
}

/** As watches tell it: who wrote which field is up to half of an object, and read by nobody. */
function withoutManagers({ metadata, ...rest }: KubeObject): KubeObject {
  const { managedFields: _, ...kept } = metadata as ObjectMeta & { managedFields?: unknown }
  return { ...rest, metadata: kept }
}

function stoppedEarly({ plural }: Kind): KubeError {
  return new KubeError(`The reflector of ${plural} was stopped before its first list was in.`, {
    reason: 'Closed',
  })
}
