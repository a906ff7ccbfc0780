import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { CompactedAway, type ReadableJournal, type SealedBatch } from '../port/journal.ts'
import { StoreUnusable } from '../port/store-errors.ts'
import { filesIn } from './disk/files.ts'
import { openForReading, openingError } from './disk/open-database.ts'
import { batchOf } from './tables/batch-rows.ts'
import { type GuardedName, type Row, verifiedRow } from './tables/guarded-table.ts'
import { readState } from './tables/ledger-state.ts'
import { checkSchema } from './tables/schema.ts'
import { createChunkReader, finishedSnapshots, type SnapshotRow } from './tables/snapshot-rows.ts'

export type StoreReading = ReturnType<typeof openReading>

/** One moment of a store, read while another process may write. For threads that may block. */
export function openReading(dataDir: string) {
  const { database } = filesIn(dataDir)
  if (!existsSync(database))
    throw new StoreUnusable(`There is no ledger in ${dataDir}`, 'Check --data-dir')
  const db = openForReading(database)
  try {
    // All reads below see the same moment, also while others commit.
    db.exec('BEGIN')
    checkSchema(db, database)
    return readingOf(db)
  } catch (error) {
    db.close()
    throw openingError(dataDir, error)
  }
}

function readingOf(db: DatabaseSync) {
  const state = readState(db)
  const snapshots = finishedSnapshots(db)
  const chunkAt = createChunkReader(db)
  const isThere = {
    decisions: db.prepare('SELECT 1 FROM decisions WHERE id = ?'),
    ended: db.prepare('SELECT 1 FROM ended WHERE id = ?'),
  }
  return {
    state,
    /** Finished ones, oldest first. */
    snapshots,
    chunks,
    batches,
    rows,
    hasRow: (name: keyof typeof isThere, id: string) => isThere[name].get(id) !== undefined,
    journal: {
      read: (from: number) => asAsync(batches(from)),
      latestSnapshot: async (atOrBefore = Number.MAX_SAFE_INTEGER) => {
        const row = snapshots.findLast(({ head }) => head.index <= atOrBefore)
        return row && { head: row.head, chunks: () => asAsync(chunks(row)) }
      },
    } satisfies ReadableJournal,
    close: () => db.close(),
  }

  function* chunks({ id, chunks: count }: SnapshotRow): Generator<string> {
    for (let nth = 0; nth < count; nth++) yield chunkAt(id, nth).text
  }

  function* batches(from: number): Generator<SealedBatch> {
    if (from <= state.floor.index) throw new CompactedAway(from, state.floor)
    const select = db.prepare('SELECT * FROM batches WHERE idx >= ? ORDER BY idx')
    for (const row of select.iterate(from)) yield batchOf(row)
  }

  function* rows(name: GuardedName): Generator<Row> {
    for (const row of db.prepare(`SELECT * FROM ${name}`).iterate()) yield verifiedRow(name, row)
  }
}

async function* asAsync<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items
}
