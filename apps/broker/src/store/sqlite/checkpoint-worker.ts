import { parentPort, workerData } from 'node:worker_threads'
import { filesIn } from './disk/files.ts'
import { checkpointLog, type LogLength } from './disk/log-length.ts'
import { openForReading, openForWriting, type StorePlace } from './disk/open-database.ts'
import { checkStore } from './store-check.ts'
import { serve } from './threads/thread-call.ts'

/** What is slow and can wait: a thread of its own, so that no commit ever does. */
export type CheckpointVerbs = ReturnType<typeof createVerbs>

function createVerbs({ dataDir, isCache }: StorePlace) {
  const files = filesIn(dataDir)
  const db = openForWriting(files.database, isCache)
  return { checkpoint, scrub, close: () => db.close() }

  /** Moves committed pages from the log to the database, as far as it gets without waiting. */
  function checkpoint(): LogLength {
    return checkpointLog(db, 'PASSIVE')
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
if (parentPort) serve(parentPort, { open: () => createVerbs(place), deferrable: new Set() })
