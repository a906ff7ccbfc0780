import { collector } from '@bourse/daemon/heap'
import { checkpointLog } from './disk/open-database.ts'
import { troubleOf } from './disk/sqlite-error.ts'
import type { OpenedStore } from './open-store.ts'
import { createBatchRows } from './tables/batch-rows.ts'
import { createCompaction } from './tables/compaction.ts'
import { createGroundsKeeping } from './tables/grounds.ts'
import { createHistoryPruning } from './tables/history-pruning.ts'
import { createHistoryTables } from './tables/history-tables.ts'
import { noteLayout } from './tables/schema.ts'
import { createSnapshotRows } from './tables/snapshot-rows.ts'

/** Everything that may be asked of the store's thread. Each verb is one synchronous step. */
export type StoreVerbs = ReturnType<typeof createStoreVerbs>
type StoreVerb = keyof StoreVerbs

/** These wait while anything else is to be done: commits and questions always go first. */
export const DEFERRABLE: ReadonlySet<StoreVerb> = new Set<StoreVerb>([
  'writeChunk',
  'compactStep',
  'sweepStep',
  'pruneStep',
  'record',
])

export function createStoreVerbs(store: OpenedStore) {
  const { db, committer, witness, lock, notices, checked, isCache } = store
  const ports = { db, committer }
  const { isOpen, ...snapshots } = createSnapshotRows(ports)
  const collect = collector()
  // A cache's grounds are recorded elsewhere already.
  const keepGrounds = isCache ? () => {} : createGroundsKeeping(ports)
  return {
    ...createBatchRows(ports),
    ...snapshots,
    ...createCompaction({ ...ports, isOpen, keepGrounds }),
    ...createHistoryTables(ports),
    ...createHistoryPruning(ports),
    opening: () => ({ notices, checked }),
    state: committer.state,
    noteAddress: lock.noteAddress,
    logLength: () => checkpointLog(db, 'NOOP'),
    /** The rest of a checkpoint, when hardly anything is left of it. */
    endCheckpoint: () => {
      checkpointLog(db, 'PASSIVE')
    },
    rest: () => {
      db.exec('PRAGMA shrink_memory')
      collect()
    },
    close: () => {
      if (!isCache) settle(ports)
      db.close()
      witness.flush()
      witness.close()
      lock.release()
    },
  }
}

/** The state says where the journal ends: then a broker of the version before can read it, too. */
function settle({ db, committer }: Pick<OpenedStore, 'db' | 'committer'>): void {
  try {
    committer.transact(() => void noteLayout(db, 'stopped'))
  } catch (error) {
    // No room for it: as after a kill, which loses nothing either.
    if (troubleOf(error) !== 'refused') throw error
  }
}
