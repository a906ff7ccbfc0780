import { parentPort, workerData } from 'node:worker_threads'
import { filesIn } from './disk/files.ts'
import {
  checkpointLog,
  openForReading,
  openForWriting,
  type StorePlace,
} from './disk/open-database.ts'
import { checkStore } from './store-check.ts'
import { serve } from './threads/thread-call.ts'

/** What is slow and can wait: a thread of its own, so that no commit ever does. */
export type CheckpointVerbs = ReturnType<typeof createVerbs>

function createVerbs({ dataDir, isCache }: StorePlace) {
  const files = filesIn(dataDir)
  const db = openForWriting(files.database, isCache)
  return { checkpoint: () => checkpointLog(db, 'PASSIVE'), scrub, close: () => db.close() }

  /** Reads and compares everything in the store, while it is in use. */
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
