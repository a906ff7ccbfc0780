import type { DatabaseSync } from 'node:sqlite'
import { verifyBatch } from '../codec/batch.ts'
import { DamagedJournal, type Head } from '../port/journal.ts'
import { batchOf } from './tables/batch-rows.ts'
import {
  addSums,
  GUARDED,
  type GuardedName,
  type Row,
  verifiedRow,
} from './tables/guarded-table.ts'
import { type LedgerState, readState } from './tables/ledger-state.ts'
import { checkSchema } from './tables/schema.ts'
import {
  createChunkReader,
  digestOf,
  finishedSnapshots,
  type SnapshotRow,
} from './tables/snapshot-rows.ts'

/**
 * start: what a restart depends on: layout, state and the batches after the newest snapshot, whose
 *        chunks are verified one by one as the replay reads them
 * whole: every row of every table, every index, every page (about 2 s for 500 MB)
 */
export type Thoroughness = 'start' | 'whole'

export type CheckedStore = Readonly<{
  state: LedgerState
  batches: number
  snapshots: number
  rows: Readonly<Record<GuardedName, number>>
}>

/** Throws `DamagedJournal` naming the place. Reads one consistent moment, also of a live store. */
export function checkStore(db: DatabaseSync, file: string, how: Thoroughness): CheckedStore {
  db.exec('BEGIN')
  try {
    checkSchema(db, file)
    if (how === 'whole') checkPages(db, file)
    const state = readState(db)
    const finished = finishedSnapshots(db)
    for (const one of finished) checkPlace(one, state)
    if (how === 'whole') for (const one of finished) checkChunks(db, one)
    const from = how === 'whole' ? state.floor : (finished.at(-1)?.head ?? state.floor)
    const batches = checkBatches(db, state, from)
    return { state, batches, snapshots: finished.length, rows: checkTables(db, how) }
  } finally {
    db.exec('ROLLBACK')
  }
}

/** SQLite's own view of its pages, tables and indexes. */
function checkPages(db: DatabaseSync, file: string): void {
  const [first] = db.prepare('PRAGMA integrity_check(1)').all()
  const verdict = String(first?.integrity_check)
  if (verdict !== 'ok') throw new DamagedJournal(`${file} is damaged: ${verdict}`)
}

function checkChunks(db: DatabaseSync, { id, chunks, digest }: SnapshotRow): void {
  const chunkAt = createChunkReader(db)
  const hashes = Array.from({ length: chunks }, (_, nth) => chunkAt(id, nth).hash)
  if (digestOf(hashes) !== digest)
    throw new DamagedJournal(`The chunks of snapshot ${id} are not those that it was finished with`)
}

function checkPlace({ id, head }: SnapshotRow, state: LedgerState): void {
  if (head.index > state.head.index)
    throw new DamagedJournal(
      `Snapshot ${id} is of batch ${head.index}, but the journal ends at ${state.head.index}`,
    )
}

/** Each batch must follow the one before, from the given place up to the head. */
function checkBatches(db: DatabaseSync, { floor, head }: LedgerState, from: Head): number {
  const start = from.index < floor.index ? floor : from
  const rows = db.prepare('SELECT * FROM batches WHERE idx > ? ORDER BY idx')
  let last = start
  for (const row of rows.iterate(start.index)) last = verifyBatch(batchOf(row), last)
  if (last.index !== head.index || last.hash !== head.hash)
    throw new DamagedJournal(
      `The journal should end at batch ${head.index}, but its last whole batch is ${last.index}`,
    )
  return last.index - start.index
}

function checkTables(db: DatabaseSync, how: Thoroughness): CheckedStore['rows'] {
  const select = db.prepare('SELECT count, sum FROM totals WHERE name = ?')
  const counts = { decisions: 0, ended: 0, parties: 0, requests: 0 }
  // The keys of GUARDED are its names: `Object.keys` only forgets that.
  for (const name of Object.keys(GUARDED) as GuardedName[]) {
    const total = select.get(name)
    if (!total) throw new DamagedJournal(`The totals of table ${name} are missing`)
    if (how === 'whole') checkRows(db, name, total)
    counts[name] = Number(total.count)
  }
  return counts
}

function checkRows(db: DatabaseSync, name: GuardedName, total: Row): void {
  let count = 0
  let sum = 0
  for (const row of db.prepare(`SELECT * FROM ${name}`).iterate()) {
    sum = addSums(sum, Number(verifiedRow(name, row).sum))
    count++
  }
  if (count !== total.count || sum !== total.sum)
    throw new DamagedJournal(
      `Table ${name} should have ${total.count} rows and has ${count}, or one was exchanged`,
    )
}
