import type { KubeClient } from '../client/kube-client.ts'
import type { ObjectMeta } from '../objects.ts'
import type { Backoff, Patience } from '../patience.ts'
import type { Reflector } from '../reflector/reflector.ts'

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

export type ControllerOptions<T, Status> = Readonly<{
  name: string
  client: Pick<KubeClient, 'mergePatch' | 'apply'>
  reflector: Reflector<T>
  /** Told the item as it is now, not what happened to it. */
  reconcile(item: T, turn: Turn): Promise<Next<Status>>
  /** Items as the status writer sees them; needed unless `T` is the object itself. */
  show(item: T): Shown<Status>
  /** The object is gone; `last` is what it was. Told once, again until it does not throw. */
  gone?(last: T, turn: Turn): Promise<void>
  statusWriting?: StatusWriting
  onTrouble?(error: Error, key: string, pauseMs: number): void
  workers?: number
  keysMax?: number
  backoff?: Backoff
  patience?: Patience
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
