import type { Kind, KubeObject, Ref, WatchEvent } from '../objects/objects.ts'

export type CallOptions = Readonly<{
  signal?: AbortSignal | undefined
  /** For all attempts together; default: `totalMs` of the client's timeouts. */
  timeoutMs?: number | undefined
  /** False: only one attempt. */
  retry?: boolean | undefined
  /** Sent on separate connections: it never waits behind other calls. */
  urgent?: boolean | undefined
}>

export type Selection = Readonly<{
  namespace?: string | undefined
  labelSelector?: string | undefined
  fieldSelector?: string | undefined
}>

export type ListOptions = CallOptions & Selection & Readonly<{ limit?: number | undefined }>

/** A first page voids all pages before it: the list expired while it was read, and restarts. */
export type Page<T> = Readonly<{ items: readonly T[]; resourceVersion: string; isFirst: boolean }>
export type Listed<T> = Readonly<{ items: readonly T[]; resourceVersion: string }>

export type WriteOptions = CallOptions &
  Readonly<{
    fieldManager?: string | undefined
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
    /** Start after this version; absent: all objects first, as ADDED. */
    resourceVersion?: string | undefined
    /**
     * All objects first, then a bookmark that marks their end. On by default in Kubernetes 1.34; an
     * older server refuses with 400 or 422.
     */
    sendInitialEvents?: boolean | undefined
    /** The server closes the watch after this long; default: 30 to 60 minutes. */
    timeoutSeconds?: number | undefined
    /**
     * After the initial events, wait this long between two reads, and handle what has arrived
     * in one go. That costs fewer wake-ups than one read per change.
     */
    gatherMs?: number | undefined
    /** The server has accepted the watch; the first event may take minutes. */
    onOpen?(): void
    signal?: AbortSignal | undefined
  }>

/** How far the API server's clock is ahead of ours, from its Date headers. */
export type ServerTime = Readonly<{ offsetMs: number; uncertaintyMs: number }>

/** Every call rejects with a `KubeError`, or with the signal's reason. */
export type KubeClient = {
  /** The connection's namespace: the default for callers. */
  readonly namespace: string
  get<T extends KubeObject>(
    kind: Kind,
    name: string,
    namespace?: string,
    options?: CallOptions,
  ): Promise<T>
  /** All pages in one list. */
  list<T extends KubeObject>(kind: Kind, options?: ListOptions): Promise<Listed<T>>
  /** Page by page, for callers that do not keep everything. */
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
  /** Ends when the server closes it; throws an ERROR of the stream. */
  watch<T extends KubeObject>(kind: Kind, options?: WatchOptions): AsyncIterable<WatchEvent<T>>
  /** Any other path of the server (`/version`, a subresource), with the same retries. */
  raw<T>(method: 'GET' | 'POST', path: string, body?: object, options?: CallOptions): Promise<T>
  /** From the latest answers; undefined before the first. */
  serverTime(): ServerTime | undefined
  close(): Promise<void>
}

/** The body of a server-side apply: a name, and only the fields that the manager owns. */
export type Applied = Readonly<{
  metadata: Readonly<{ name: string; namespace?: string | undefined; [field: string]: unknown }>
  [field: string]: unknown
}>

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
