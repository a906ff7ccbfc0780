import type { CommitOrder } from './commit-order.ts'
import { StoreUnusable } from './store-errors.ts'

/** Where a journal ends. Index 0 and an empty hash: nothing was ever written. */
export type Head = Readonly<{ index: number; hash: string }>

/**
 * A batch ready for the disk. `text` is what is stored and hashed: a header line (format version,
 * index, writer, the hash before) and a line for each event. See `batch.ts`.
 */
export type SealedBatch = Readonly<{
  /** One more than that of the batch before it; the first has 1. */
  index: number
  /** The broker that sealed it. */
  writer: string
  /** The hash of the batch before it; empty for the first. */
  previous: string
  /** SHA-256 of `text`. */
  hash: string
  text: string
}>

export type Appended =
  | Readonly<{ kind: 'committed' }>
  /** Another writer owns this index: exit and follow. */
  | Readonly<{ kind: 'fenced'; by: string }>
  /**
   * The outcome is unknown. Send the identical batch again until it is known; never another one.
   */
  | Readonly<{ kind: 'unknown'; cause: Error }>

/** What a failed append of a store far away means: it may have happened all the same. */
export function unknownOutcome(thrown: unknown): Appended {
  if (thrown instanceof DamagedJournal) throw thrown
  return { kind: 'unknown', cause: thrown instanceof Error ? thrown : new Error(String(thrown)) }
}

export type StoredSnapshot = Readonly<{
  /** The state after this batch. */
  head: Head
  chunks(): AsyncIterable<string>
}>

export type SnapshotSink = {
  /** Writes between two appends, never instead of one: chunks are kept small by the caller. */
  write(chunk: string): Promise<void>
  /** Only a finished snapshot is ever seen. */
  finish(): Promise<void>
  abandon(): Promise<void>
}

export type Room = Readonly<{ left: number; of: number }>

/** Where batches become durable. Every implementation passes `journal.contract.ts`. */
export type Journal = {
  head(): Promise<Head>
  append(batch: SealedBatch): Promise<Appended>
  /** In order, from an index on, to the head at the time of the call. Throws `CompactedAway`. */
  read(from: number): AsyncIterable<SealedBatch>
  beginSnapshot(head: Head): Promise<SnapshotSink>
  /** The newest finished snapshot, or the newest at or before an index. */
  latestSnapshot(atOrBefore?: number): Promise<StoredSnapshot | undefined>
  /**
   * Removes batches below `keepFrom` that a snapshot covers. Of the snapshots it keeps the newest,
   * the one that `keepFrom` is replayed from, and `also`.
   */
  compact(keepFrom: number, also?: readonly number[]): Promise<void>
  /**
   * In order, from an index on, and then as others append. Ends or throws when the store cannot go
   * on telling, as it may at any time: begin again where it ended. Absent: one broker at a time.
   */
  follow?(from: number, signal: AbortSignal): AsyncIterable<SealedBatch>
  /** The longest text that a batch should have; absent: any. A single event is never cut. */
  readonly batchCharactersMax?: number
  /** How a round of commit and answers is done here; absent: `sendFirst`. */
  readonly commitOrder?: CommitOrder
  /** How many batches fit until a finished snapshot must cover the oldest; absent: any number. */
  room?(): Room
  close(): Promise<void>
}

/** What a replay needs of a journal. */
export type ReadableJournal = Pick<Journal, 'latestSnapshot' | 'read'>

/** For a tool, which stops at a batch that cannot be written. */
export async function appendOrThrow(
  journal: Pick<Journal, 'append'>,
  batch: SealedBatch,
): Promise<void> {
  const appended = await journal.append(batch)
  if (appended.kind === 'committed') return
  if (appended.kind === 'fenced')
    throw new StoreUnusable(
      `Another writer (${appended.by}) has written batch ${batch.index} meanwhile`,
      'Nothing was changed: find out which broker writes to this store, then try again',
    )
  throw new Error(`Batch ${batch.index} could not be written (${appended.kind})`)
}

/** All of a snapshot, or nothing that takes up room. */
export async function writeSnapshot(
  journal: Pick<Journal, 'beginSnapshot'>,
  head: Head,
  chunks: AsyncIterable<string> | Iterable<string>,
): Promise<void> {
  const sink = await journal.beginSnapshot(head)
  try {
    for await (const chunk of chunks) await sink.write(chunk)
    await sink.finish()
  } catch (thrown) {
    await sink.abandon()
    throw thrown
  }
}

/**
 * For what is asked while the piece before it is in use, so that reader and store need not wait for
 * each other. A reader that stops early never looks at it: its failure is not unhandled then.
 */
export function readAhead<T>(asked: Promise<T>): Promise<T> {
  asked.catch(() => {})
  return asked
}

/** The store contradicts itself: a flipped bit, a hole, a lost tail. Says where and what to do. */
export class DamagedJournal extends Error {
  override readonly name = 'DamagedJournal'
}

/** A batch that others follow, or that was read before, is not there. */
export class MissingBatch extends DamagedJournal {
  constructor(index: number) {
    super(`Batch ${index} of the journal is missing: a hole`)
  }
}

/** These batches were compacted: a snapshot covers them. */
export class CompactedAway extends Error {
  override readonly name = 'CompactedAway'
  /** The journal has the batches after this one. */
  readonly floor: number
  constructor(wanted: number, floor: Head) {
    super(`Batch ${wanted} is gone: the journal keeps those after ${floor.index}`)
    this.floor = floor.index
  }
}
