import type { Kind, KubeObject, Ref, WatchEvent } from '../objects/objects.ts'

export type CallOptions = Readonly<{
  signal?: AbortSignal | undefined
  /** For all attempts together; `totalMs` of the client's time-outs if absent. */
  timeoutMs?: number | undefined
  /** False: one attempt, whatever comes. */
  retry?: boolean | undefined
  /** Goes on connections of its own: it must not wait behind a flood of other calls. */
  urgent?: boolean | undefined
}>

export type Selection = Readonly<{
  namespace?: string | undefined
  labelSelector?: string | undefined
  fieldSelector?: string | undefined
}>

export type ListOptions = CallOptions & Selection & Readonly<{ limit?: number | undefined }>

/** The first page voids those before it: the server had forgotten the list we were reading. */
export type Page<T> = Readonly<{ items: readonly T[]; resourceVersion: string; isFirst: boolean }>
export type Listed<T> = Readonly<{ items: readonly T[]; resourceVersion: string }>

export type WriteOptions = CallOptions &
  Readonly<{
    fieldManager?: string | undefined
    dryRun?: boolean | undefined
    fieldValidation?: 'Ignore' | 'Warn' | 'Strict' | undefined
  }>
export type PatchOptions = WriteOptions & Readonly<{ subresource?: 'status' | undefined }>
export type ApplyOptions = PatchOptions &
  Readonly<{ fieldManager: string; force?: boolean | undefined }>
export type DeleteOptions = CallOptions &
  Readonly<{
    preconditions?: Readonly<{ uid?: string; resourceVersion?: string }> | undefined
    propagationPolicy?: 'Orphan' | 'Background' | 'Foreground' | undefined
    gracePeriodSeconds?: number | undefined
  }>

export type WatchOptions = Selection &
  Readonly<{
    /** Events after this version; absent: all objects first, as ADDED. */
    resourceVersion?: string | undefined
    /**
     * All objects first, and then a bookmark that says so. Kubernetes 1.34 does it by itself; a
     * server that does not refuses with 400 or 422.
     */
    sendInitialEvents?: boolean | undefined
    /** The server closes the watch after this long; it picks 30 to 60 minutes if absent. */
    timeoutSeconds?: number | undefined
    /**
     * After the initial events, what comes within this long of the last look is taken in one go:
     * of a stream of changes each alone would cost a wake-up and cold caches.
     */
    gatherMs?: number | undefined
    /** The server has agreed to it; there may be nothing to tell for minutes. */
    onOpen?(): void
    signal?: AbortSignal | undefined
  }>

/** How far the API server's clock is ahead of ours, from its Date headers. */
export type ServerTime = Readonly<{ offsetMs: number; uncertaintyMs: number }>

/** Every call rejects with a `KubeError`, or with the signal's reason. */
export type KubeClient = {
  /** The connection's own namespace, for callers that were given none. */
  readonly namespace: string
  get<T extends KubeObject>(
    kind: Kind,
    name: string,
    namespace?: string,
    options?: CallOptions,
  ): Promise<T>
  /** All pages, gathered. */
  list<T extends KubeObject>(kind: Kind, options?: ListOptions): Promise<Listed<T>>
  /** Page by page, for those who do not keep everything. */
  pages<T extends KubeObject>(kind: Kind, options?: ListOptions): AsyncIterable<Page<T>>
  create<T extends KubeObject>(kind: Kind, object: T, options?: WriteOptions): Promise<T>
  replace<T extends KubeObject>(kind: Kind, object: T, options?: WriteOptions): Promise<T>
  replaceStatus<T extends KubeObject>(kind: Kind, object: T, options?: WriteOptions): Promise<T>
  mergePatch<T extends KubeObject>(
    kind: Kind,
    ref: Ref,
    patch: object,
    options?: PatchOptions,
  ): Promise<T>
  /** Server-side apply. The object needs no apiVersion, kind or resourceVersion. */
  apply<T extends KubeObject>(kind: Kind, object: Applied, options: ApplyOptions): Promise<T>
  delete(kind: Kind, ref: Ref, options?: DeleteOptions): Promise<void>
  /** Ends when the server closes it; an ERROR in the stream is thrown. */
  watch<T extends KubeObject>(kind: Kind, options?: WatchOptions): AsyncIterable<WatchEvent<T>>
  /** Any other address of the server (`/version`, a subresource), with the same care. */
  raw<T>(method: 'GET' | 'POST', path: string, body?: object, options?: CallOptions): Promise<T>
  /** From the latest answers; undefined before the first. */
  serverTime(): ServerTime | undefined
  close(): Promise<void>
}

/** What server-side apply sends: a name, and only the fields that the manager owns. */
export type Applied = Readonly<{
  metadata: Readonly<{ name: string; namespace?: string | undefined; [field: string]: unknown }>
  [field: string]: unknown
}>

/** Our limits, by name. */
export type Timeouts = Readonly<{
  connectMs: number
  /** Until the answer begins. */
  headersMs: number
  /** Between two pieces of an answer. */
  bodyMs: number
  /** All attempts together. */
  totalMs: number
  /** Without any byte on a watch, bookmarks included. */
  watchSilenceMs: number
}>
