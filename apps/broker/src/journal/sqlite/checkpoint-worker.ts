import { closeSync, fsyncSync, openSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { filesIn } from './files.ts'
import { openForReading, openForWriting, type StorePlace } from './open-database.ts'
import { checkStore } from './store-check.ts'
import { serve } from './thread-call.ts'

/** What is slow and can wait: a thread of its own, so that no commit ever does. */
export type CheckpointVerbs = ReturnType<typeof createVerbs>

/** How long the log is, and how much of it is not in the database yet. */
type LogLength = Readonly<{ frames: number; left: number }>

function createVerbs({ dataDir, isCache }: StorePlace) {
  const files = filesIn(dataDir)
  const db = openForWriting(files.database, isCache)
  return { logLength, checkpoint, flushWitness, scrub, close: () => db.close() }

  /** Moves committed pages from the log to the database, as far as it gets without waiting. */
  function checkpoint(): LogLength {
    return pragma('PASSIVE')
  }

  function logLength(): LogLength {
    return pragma('NOOP')
  }

  function pragma(mode: 'NOOP' | 'PASSIVE'): LogLength {
    const row = db.prepare(`PRAGMA wal_checkpoint(${mode})`).get()
    const frames = Number(row?.log)
    return { frames, left: frames - Number(row?.checkpointed) }
  }

  /** Flushing through any descriptor flushes the file. */
  function flushWitness(): void {
    const file = openSync(files.witness, 'r+')
    fsyncSync(file)
    closeSync(file)
  }

  /** Everything in the store, read and compared, while it goes on living. */
  function scrub() {
    const reader = openForReading(files.database)
    try {
      return checkStore(reader, files.database, 'whole')
    } finally {
      reader.close()
    }
  }
}

const place = workerData as StorePlace
if (parentPort) serve(parentPort, { open: () => createVerbs(place), patient: new Set() })
