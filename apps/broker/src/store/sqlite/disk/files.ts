import { join } from 'node:path'

/** What a data directory holds. */
export const filesIn = (dataDir: string) => ({
  /** Batches, snapshots and history. */
  database: join(dataDir, 'bourse.db'),
  /** SQLite's write-ahead log: what was committed and is not yet in the database file. */
  wal: join(dataDir, 'bourse.db-wal'),
  /** How far the journal is known to reach; see `witness.ts`. */
  witness: join(dataDir, 'bourse.witness'),
  /** Locked by the broker that runs on this directory; see `directory-lock.ts`. */
  lock: join(dataDir, 'bourse.lock'),
  /** The name of that process, for people. */
  holder: join(dataDir, 'bourse.holder'),
})

export type StoreFiles = ReturnType<typeof filesIn>
