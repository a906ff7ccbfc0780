import { isGone, KubeError } from '../client/errors.ts'
import type { KubeClient, Selection } from '../client/kube-client.ts'
import type { Kind, KubeObject, ObjectMeta, WatchEvent } from '../objects/objects.ts'
import { type Backoff, backoffMs, type Clock, pause, systemClock } from '../time/clock.ts'
import { createKeptItems } from './kept-items.ts'
import { createStallWatch } from './stall-watch.ts'

/** Called on every change, in order, after the reflector has it. */
export type Listener<T> = Readonly<{
  added?(item: T, key: string): void
  changed?(item: T, before: T, key: string): void
  removed?(last: T, key: string): void
  /** A full list is complete: the first one, and each re-list. */
  synced?(): void
}>

export type ReflectorOptions<T, O extends KubeObject = KubeObject> = Selection &
  Readonly<{
    client: Pick<KubeClient, 'pages' | 'watch'>
    kind: Kind
    /** The item to keep of an object, or undefined for none; absent: the object itself. */
    decode?(object: O): T | undefined
    on?: Listener<T>
    /** A call failed and is retried after the pause, or a listener threw. */
    onTrouble?(error: Error, pauseMs: number): void
    /** A watch without event or bookmark for this long is dead. */
    stallMs?: number
    /**
     * Gets the initial objects through the watch, one by one, if the server supports it: pages of
     * a list take many times the memory of the kept items.
     */
    isStreamed?: boolean
    /** See `WatchOptions`: delays quick changes by this much, for less work. */
    gatherMs?: number
    clock?: Clock
  }>

export type Reflector<T> = ReturnType<typeof createReflector<T, KubeObject>>

const BACKOFF: Backoff = { baseMs: 500, capMs: 30_000 }
/** On Kubernetes 1.36 the first bookmark of a quiet watch takes up to two minutes. */
const STALL_MS = 3 * 60_000
/** Watches end after this long or up to twice of it, so that they spread over the API servers. */
const WATCH_SECONDS_MIN = 300
/** After so many refusals, e.g. of a version unknown to a restored etcd, list again. */
const REFUSALS_MAX = 5

/**
 * A live copy of a list, kept current by a watch. Starts by itself.
 * ```
 *            ┌────────── 410, or refused too often ──────────┐
 *            ▼                                               │
 *   list all pages ──► watch from the list's version ──► closed, cut, silent, error
 *            ▲                     ▲                         │
 *            └── failed: pause     └──── pause, resume ──────┘
 * ```
 * When streamed, the list is the first part of the watch, up to a bookmark.
 */
export function createReflector<T, O extends KubeObject = KubeObject>(
  options: ReflectorOptions<T, O>,
) {
  const { client, kind, clock = systemClock, onTrouble = () => {} } = options
  const selection = selectionOf(options)
  const stopping = new AbortController()
  const first = Promise.withResolvers<void>()
  const kept = createKeptItems<T, O>({
    // Without a decoder, the items are the objects.
    decode: options.decode ?? ((object) => object as unknown as T),
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
    for await (const page of client.pages<O>(kind, { ...selection, signal })) {
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

  /** Whether any event arrived before it ended. */
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

  /** A stream that is cut before the initial events are complete must start over. */
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
        // Pause after a watch without events: one that ends at once would spin.
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
  first.promise.catch(() => {})
  const running = run()

  return {
    kind,
    /** Resolves when the first full list is complete; rejects if stopped before. */
    synced: first.promise,
    isSynced: () => isSynced,
    get: (key: string): T | undefined => kept.entries.get(key)?.item,
    keys: () => kept.entries.keys(),
    items: () => itemsOf(kept.entries),
    size: () => kept.entries.size,
    /** All changes up to this version are included. */
    resourceVersion: () => version,
    /** Calls `added` for all items, then follows every change; returns the unsubscribe function. */
    subscribe: (listener: Listener<T>) => kept.subscribe(listener, isSynced),
    /**
     * Takes the answer to our own write: listeners are called now, and not again when the watch
     * delivers it. Older versions of that object are skipped, but only until the watch has caught
     * up or restarts, so that a reset of versions cannot hide changes for longer.
     */
    note: (answer: KubeObject): void => kept.note(withoutManagers(answer) as O),
    async stop(): Promise<void> {
      stopping.abort()
      first.reject(stoppedEarly(kind))
      await running
    },
  }
}

function* itemsOf<T>(entries: ReadonlyMap<string, { item: T }>): Generator<T> {
  for (const { item } of entries.values()) yield item
}

/** An older server cannot stream the initial objects. */
function isUnable(fault: Error): boolean {
  return fault instanceof KubeError && (fault.status === 400 || fault.status === 422)
}

function isBusy({ status }: KubeError): boolean {
  return status === 429 || status === 503
}

function selectionOf({ namespace, labelSelector, fieldSelector }: Selection): Selection {
  return { namespace, labelSelector, fieldSelector }
}

/** Without managedFields, which are half of an object; a watch drops them as well. */
export function withoutManagers<O extends KubeObject>(object: O): O {
  const { managedFields: _, ...metadata } = object.metadata as ObjectMeta & {
    managedFields?: unknown
  }
  return { ...object, metadata }
}

function stoppedEarly({ plural }: Kind): KubeError {
  return new KubeError(
    `The reflector of ${plural} was stopped before its first list was complete.`,
    {
      reason: 'Closed',
    },
  )
}
