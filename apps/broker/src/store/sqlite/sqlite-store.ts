import { Worker } from 'node:worker_threads'
import { answerFirst } from '../port/commit-order.ts'
import {
  CompactedAway,
  type Journal,
  readAhead,
  type SealedBatch,
  type SnapshotSink,
  type StoredSnapshot,
} from '../port/journal.ts'
import type { Store } from '../port/store.ts'
import { createFileNotes } from '../port/store-notes.ts'
import type { CheckpointVerbs } from './checkpoint-worker.ts'
import { keepLogShort } from './checkpoints.ts'
import { filesIn } from './disk/files.ts'
import type { StorePlace } from './disk/open-database.ts'
import { flushWitness } from './disk/witness.ts'
import { createSqliteHistory } from './sqlite-history.ts'
import type { CheckedStore, Thoroughness } from './store-check.ts'
import type { StoreVerbs } from './store-verbs.ts'
import { createOccasionalThread } from './threads/occasional-thread.ts'
import { createCaller } from './threads/thread-call.ts'

export type StoreCaller = ReturnType<typeof createCaller<StoreVerbs>>

type Shared = 'journal' | 'history' | 'notes' | 'notices' | 'noteAddress' | 'rest' | 'close'

export type SqliteStore = Required<Pick<Store, Shared>> &
  Readonly<{
    /** `start`: it is large, and only what the restart depends on was checked: call `scrub`. */
    checked: Thoroughness
    /** Reads and compares everything there is, on a thread of its own. Throws `DamagedJournal`. */
    scrub(): Promise<CheckedStore>
  }>

type Settings = Readonly<{
  dataDir: string
  /** It may be lost: nothing in it is worth waiting for the disk. */
  isCache?: boolean
  /** A write or flush has failed: what the disk has is unknown, and only a restart may go on. */
  crash(cause: Error): void
}>

/** The embedded store. Throws `StoreUnusable` or `DamagedJournal`, with a sentence for people. */
export async function openSqliteStore(settings: Settings): Promise<SqliteStore> {
  const { dataDir, isCache = false, crash } = settings
  const place = { dataDir, isCache }
  const caller = createCaller<StoreVerbs>(startThread('store-worker', place), crash)
  await caller.opened
  const slow = createOccasionalThread<CheckpointVerbs>(() =>
    createCaller<CheckpointVerbs>(startThread('checkpoint-worker', place), crash),
  )
  const checkpoints = isCache
    ? undefined
    : keepLogShort({
        logLength: () => caller.call('logLength'),
        checkpoint: () => slow.call('checkpoint'),
        endCheckpoint: () => caller.call('endCheckpoint'),
        flushWitness: () => flushWitness(filesIn(dataDir).witness),
        crash,
      })
  const close = once(async () => {
    await checkpoints?.stop()
    await slow.close()
    // The last connection to close empties the log into the database and removes it.
    await caller.close()
  })
  return {
    journal: createSqliteJournal(caller, close),
    // A cache's journal is a copy with holes and an end: what matters there has a row.
    history: createSqliteHistory({ call: caller.call, findsDecisionsInJournal: !isCache }),
    notes: createFileNotes(dataDir),
    ...(await caller.call('opening')),
    scrub: () => slow.call('scrub'),
    noteAddress: (address) => caller.call('noteAddress', address),
    rest: () => {
      // One that is closing by now gives back all it has.
      caller.call('rest').catch(() => {})
    },
    close,
  }
}

/** Rows only pass through a store's thread: more room for garbage would be memory for nothing. */
const THREAD_YOUNG_MB = 2

function startThread(name: string, place: StorePlace): Worker {
  return new Worker(new URL(`./${name}.ts`, import.meta.url), {
    workerData: place,
    resourceLimits: { maxYoungGenerationSizeMb: THREAD_YOUNG_MB },
  })
}

function createSqliteJournal({ call }: StoreCaller, close: () => Promise<void>): Journal {
  return {
    head: async () => (await call('state')).head,
    append: (batch) => call('append', batch),
    commitOrder: answerFirst,
    read,
    beginSnapshot: async (head) => createSink(await call('beginSnapshot', head)),
    latestSnapshot,
    compact: (keepFrom, also = []) => repeat(() => call('compactStep', keepFrom, also)),
    close,
  }

  async function* read(from: number): AsyncGenerator<SealedBatch> {
    const { head, floor } = await call('state')
    if (from <= floor.index) throw new CompactedAway(from, floor)
    let next = from
    let asked = readAhead(call('readBatches', next, head.index))
    while (next <= head.index) {
      const batches = await asked
      if (batches[0]?.index !== next) throw new CompactedAway(next, (await call('state')).floor)
      next += batches.length
      if (next <= head.index) asked = readAhead(call('readBatches', next, head.index))
      yield* batches
    }
  }

  function createSink(id: number): SnapshotSink {
    return {
      write: (chunk) => call('writeChunk', id, chunk),
      finish: () => call('finishSnapshot', id),
      abandon: async () => {
        await call('abandonSnapshot', id)
        await repeat(() => call('sweepStep'))
      },
    }
  }

  async function latestSnapshot(atOrBefore?: number): Promise<StoredSnapshot | undefined> {
    const row = await call('newestSnapshot', atOrBefore)
    if (!row) return undefined
    const { id, head, chunks } = row
    return {
      head,
      async *chunks() {
        let asked = readAhead(call('readChunk', id, 0))
        for (let nth = 0; nth < chunks; nth++) {
          const chunk = await asked
          if (nth + 1 < chunks) asked = readAhead(call('readChunk', id, nth + 1))
          yield chunk
        }
      },
    }
  }
}

async function repeat(step: () => Promise<boolean>): Promise<void> {
  while (await step());
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => {
    done ??= work()
    return done
  }
}
