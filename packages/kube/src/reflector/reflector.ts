import type { KubeClient, Selection } from '../client/kube-client.ts'
import type { Kind, KubeObject } from '../objects.ts'
import type { Patience } from '../patience.ts'

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
    patience?: Patience
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
  stop(): Promise<void>
}
