import { isConflict, isNotFound } from '../client/errors.ts'
import type { KubeClient } from '../client/kube-client.ts'
import type { KubeObject, ObjectMeta } from '../objects/objects.ts'
import { type Again, createWorkQueue } from '../queue/work-queue.ts'
import type { Reflector } from '../reflector/reflector.ts'
import type { Backoff, Clock } from '../time/clock.ts'
import { createStatusWriter } from './status-writer.ts'

/** What a reconcile asks for: a status to show, another look later, both or nothing. */
export type Next<Status> = Readonly<{
  status?: Status | undefined
  againAfterMs?: number | undefined
}>

/** What the status writer must know of an item. */
export type Shown<Status> = Readonly<{
  metadata: Pick<ObjectMeta, 'name' | 'namespace' | 'resourceVersion'>
  status?: Status | undefined
}>

/**
 * `merge`: only the fields that differ, null for those that went; `withVersion` refuses to write
 * over a change that was not seen. `apply`: the whole status, owned by the field manager.
 */
export type StatusWriting =
  | Readonly<{ by: 'merge'; withVersion?: boolean; fieldManager?: string }>
  | Readonly<{ by: 'apply'; fieldManager: string }>

export type ControllerOptions<T, Status extends object> = Readonly<{
  name: string
  client: Pick<KubeClient, 'mergePatch' | 'apply'>
  reflector: Reflector<T>
  /** Told the item as it is now, not what happened to it. */
  reconcile(item: T, turn: Turn): Promise<Next<Status>>
  /** Items as the status writer sees them; needed unless `T` is the object itself. */
  show(item: T): Shown<Status>
  /** Its status was written: what follows from that, and holds up nobody who waits for it. */
  written?(item: T, status: Status): void
  /** The object is gone; `last` is what it was. Told once, again until it does not throw. */
  gone?(last: T, turn: Turn): Promise<void>
  statusWriting?: StatusWriting
  onTrouble?(error: Error, key: string, pauseMs: number): void
  workers?: number
  keysMax?: number
  backoff?: Backoff
  clock?: Clock
}>

export type Turn = Readonly<{ key: string; signal: AbortSignal }>

export type Controller = {
  /** Look at this key soon, for reasons outside of the object. */
  enqueue(key: string): void
  enqueueAll(): void
  /** Keys waiting, due later or at work. */
  size(): number
  stop(): Promise<void>
}

const KEYS_MAX = 100_000
/** The change that we collided with is on its way to us. */
const AFTER_CONFLICT_MS = 50

/**
 * Looks at every item of a reflector once it is complete, again on each change, again when asked.
 * The one place where what goes wrong with an object is caught: it is told, and tried again later.
 */
export function createController<T, Status extends object>(
  options: ControllerOptions<T, Status>,
): Controller {
  const { client, reflector, reconcile, show, gone, keysMax = KEYS_MAX } = options
  const writer = createStatusWriter<Status>({
    client,
    kind: reflector.kind,
    writing: options.statusWriting ?? { by: 'merge' },
  })
  const departed = new Map<string, T>()
  let isOpen = false
  let hasMissed = false

  const queue = createWorkQueue({
    ...queueOptionsOf(options),
    keysMax,
    async work(key, signal) {
      const again = await look({ key, signal })
      if (hasMissed && queue.size() <= keysMax / 2) enqueueAll()
      return again
    },
  })

  async function look(turn: Turn): Promise<Again | undefined> {
    const last = departed.get(turn.key)
    if (last !== undefined) await takeLeave(last, turn)
    const item = reflector.get(turn.key)
    if (item === undefined) return undefined
    const { status, againAfterMs } = await reconcile(item, turn)
    if (status === undefined) return { againAfterMs }
    const hasCollided = await writer.write(show(item), status, turn.signal).then(
      (answer) => {
        if (answer) noteWritten(item, status, answer)
        return false
      },
      (thrown) => {
        if (!isConflict(thrown) && !isNotFound(thrown)) throw thrown
        return isConflict(thrown)
      },
    )
    return { againAfterMs: hasCollided ? AFTER_CONFLICT_MS : againAfterMs }
  }

  /** The next look sees our own write, also if the watch has not told of it yet. */
  function noteWritten(item: T, status: Status, answer: KubeObject): void {
    reflector.note(answer)
    options.written?.(item, status)
  }

  async function takeLeave(last: T, turn: Turn): Promise<void> {
    await gone?.(last, turn)
    // Another of that name may have come and gone meanwhile; that one has its own turn.
    if (departed.get(turn.key) === last) departed.delete(turn.key)
  }

  function enqueue(key: string): void {
    // What finds no room is not lost: all is looked at again when there is some.
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
    enqueue,
    enqueueAll,
    size: queue.size,
    async stop() {
      unsubscribe()
      await queue.stop()
    },
  }
}

function queueOptionsOf<T, Status extends object>(options: ControllerOptions<T, Status>) {
  const { workers, backoff, clock, onTrouble } = options
  return {
    ...(workers === undefined ? {} : { workers }),
    ...(backoff === undefined ? {} : { backoff }),
    ...(clock === undefined ? {} : { clock }),
    ...(onTrouble === undefined ? {} : { onTrouble }),
  }
}
