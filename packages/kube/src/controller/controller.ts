import { ignoring, isConflict, isNotFound } from '../client/errors.ts'
import type { KubeClient } from '../client/kube-client.ts'
import { type Kind, type KubeObject, keyOf, type ObjectMeta } from '../objects/objects.ts'
import { type Again, createWorkQueue } from '../queue/work-queue.ts'
import type { Reflector } from '../reflector/reflector.ts'
import type { Backoff, Clock } from '../time/clock.ts'
import { type Json, mergePatchOf } from './merge-patch.ts'

/** The result of a reconcile: a status to write, a later turn, both or nothing. */
export type Next<Status> = Readonly<{
  status?: Status | undefined
  againAfterMs?: number | undefined
}>

/** The part of an item that the status writer needs. */
export type Shown<Status> = Readonly<{
  metadata: Pick<ObjectMeta, 'name' | 'namespace' | 'resourceVersion'>
  status?: Status | undefined
}>

/** With `withVersion` the write fails if the object has changed unseen. */
export type StatusWriting = Readonly<{ withVersion?: boolean; fieldManager?: string }>

export type ControllerOptions<T, Status extends object> = Readonly<{
  client: Pick<KubeClient, 'mergePatch'>
  reflector: Reflector<T>
  /** Gets the item as it is now, not what happened to it. */
  reconcile(item: T, turn: Turn): Promise<Next<Status>>
  show(item: T): Shown<Status>
  /** The status was written. */
  written?(item: T, status: Status): void
  /** The object is gone; `last` is its last state. Repeated until it does not throw. */
  gone?(last: T, turn: Turn): Promise<void>
  statusWriting?: StatusWriting
  onTrouble?(error: Error, key: string, pauseMs: number): void
  workers?: number
  backoff?: Backoff
  clock?: Clock
}>

export type Turn = Readonly<{ key: string; signal: AbortSignal }>

const KEYS_MAX = 100_000
/** By then the watch has usually delivered the conflicting change. */
const AFTER_CONFLICT_MS = 50

/**
 * Reconciles every item of a reflector once it is synced, then on each change and on request.
 * Errors of a reconcile are caught here only: reported, and retried with backoff.
 */
export function createController<T, Status extends object>(options: ControllerOptions<T, Status>) {
  const { client, reflector, reconcile, show, gone } = options
  const writer = createStatusWriter<Status>({
    client,
    kind: reflector.kind,
    writing: options.statusWriting ?? {},
  })
  const departed = new Map<string, T>()
  let isOpen = false
  let hasMissed = false

  const queue = createWorkQueue({
    workers: options.workers,
    backoff: options.backoff,
    clock: options.clock,
    onTrouble: options.onTrouble,
    keysMax: KEYS_MAX,
    async work(key, signal) {
      const again = await look({ key, signal })
      if (hasMissed && queue.size() <= KEYS_MAX / 2) enqueueAll()
      return again
    },
  })

  async function look(turn: Turn): Promise<Again | undefined> {
    const last = departed.get(turn.key)
    if (last !== undefined) await reportGone(last, turn)
    const item = reflector.get(turn.key)
    if (item === undefined) return undefined
    const { status, againAfterMs } = await reconcile(item, turn)
    if (status === undefined) return { againAfterMs }
    try {
      const answer = await ignoring(isNotFound, writer.write(show(item), status, turn.signal))
      if (answer) noteWritten(item, status, answer)
      return { againAfterMs }
    } catch (thrown) {
      if (!isConflict(thrown)) throw thrown
      return { againAfterMs: AFTER_CONFLICT_MS }
    }
  }

  /** The next turn sees our own write, even before the watch delivers it. */
  function noteWritten(item: T, status: Status, answer: KubeObject): void {
    reflector.note(answer)
    options.written?.(item, status)
  }

  async function reportGone(last: T, turn: Turn): Promise<void> {
    await gone?.(last, turn)
    // Another object of that name may be gone as well by now; it gets its own turn.
    if (departed.get(turn.key) === last) departed.delete(turn.key)
  }

  function enqueue(key: string): void {
    // A key that finds the queue full is not lost: all keys are enqueued again once there is room.
    if (isOpen && !queue.add(key)) hasMissed = true
  }

  function enqueueAll(): void {
    hasMissed = false
    for (const key of departed.keys()) enqueue(key)
    for (const key of reflector.keys()) enqueue(key)
  }

  const unsubscribe = reflector.subscribe({
    added: (_, key) => enqueue(key),
    changed: (_, __, key) => enqueue(key),
    removed(last, key) {
      writer.forget(key)
      if (gone) departed.set(key, last)
      enqueue(key)
    },
    synced() {
      if (isOpen) return
      isOpen = true
      enqueueAll()
    },
  })

  return {
    /** Reconcile this key soon, for a reason outside of the object. */
    enqueue,
    enqueueAll,
    size: queue.size,
    async stop(): Promise<void> {
      unsubscribe()
      await queue.stop()
    },
  }
}

type Ports = Readonly<{
  client: Pick<KubeClient, 'mergePatch'>
  kind: Kind
  writing: StatusWriting
}>

/** The status we wrote, and the object's version after that write. */
type Written<Status> = Readonly<{ status: Status; version: string | undefined }>

/** `shown` must be the newest known state, the answers to our own writes included. */
function createStatusWriter<Status extends object>({ client, kind, writing }: Ports) {
  const written = new Map<string, Written<Status>>()

  /** The server drops fields that its schema lacks; writing them again would change nothing. */
  function current({ metadata, status }: Shown<Status>): Status | undefined {
    const ours = written.get(keyOf(metadata))
    return ours && ours.version === metadata.resourceVersion ? ours.status : status
  }

  return {
    /** Writes the status with one patch, or none if it is so already; returns the answer. */
    async write(shown: Shown<Status>, wanted: Status, signal: AbortSignal) {
      const status = mergePatchOf((current(shown) ?? {}) as Json, wanted as Json)
      if (status === undefined) return undefined
      const { withVersion, fieldManager } = writing
      const { resourceVersion } = shown.metadata
      const patch = withVersion ? { metadata: { resourceVersion }, status } : { status }
      const options = { subresource: 'status', fieldManager, signal } as const
      const answer = await client.mergePatch<KubeObject>(kind, shown.metadata, patch, options)
      const version = answer.metadata.resourceVersion
      written.set(keyOf(shown.metadata), { status: wanted, version })
      return answer
    },
    forget: (key: string) => written.delete(key),
  }
}
