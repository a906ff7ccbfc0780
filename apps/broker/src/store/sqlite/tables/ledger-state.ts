import type { DatabaseSync } from 'node:sqlite'
import { NO_HEAD } from '../../codec/batch.ts'
import { DamagedJournal, type Head } from '../../port/journal.ts'
import { sumOf } from './guarded-table.ts'

/** What is true after each transaction. */
export type LedgerState = Readonly<{
  /** How many transactions there ever were. */
  commits: number
  head: Head
  headWriter: string
  /** Batches up to and including this one are gone, since a snapshot covers them. */
  floor: Head
  /** The history has everything of the batches up to this one. */
  historyThrough: number
}>

export const EMPTY_STATE: LedgerState = {
  commits: 0,
  head: NO_HEAD,
  headWriter: '',
  floor: NO_HEAD,
  historyThrough: 0,
}

/**
 * One row, renewed by every transaction but those that append a batch: each of these is one more
 * transaction and one more index, and its own row says the rest. To write both would cost a commit
 * a tenth of its time.
 */
export function readState(db: DatabaseSync): LedgerState {
  const noted = readNoted(db)
  const last = db.prepare('SELECT idx, hash, writer FROM batches ORDER BY idx DESC LIMIT 1').get()
  const index = Number(last?.idx ?? 0)
  const appended = index - noted.head.index
  if (appended <= 0) return noted
  return {
    ...noted,
    commits: noted.commits + appended,
    head: { index, hash: String(last?.hash) },
    headWriter: String(last?.writer),
  }
}

function readNoted(db: DatabaseSync): LedgerState {
  const row = db.prepare('SELECT * FROM state').get()
  if (!row) throw new DamagedJournal('The state row of the database is missing')
  const state: LedgerState = {
    commits: Number(row.commits),
    head: { index: Number(row.head_index), hash: String(row.head_hash) },
    headWriter: String(row.head_writer),
    floor: { index: Number(row.floor_index), hash: String(row.floor_hash) },
    historyThrough: Number(row.history_through),
  }
  if (sumOf(columnsOf(state)) !== row.sum)
    throw new DamagedJournal('The state row of the database does not match its checksum')
  return state
}

export function createStateWriter(db: DatabaseSync): (state: LedgerState) => void {
  const write = db.prepare('INSERT OR REPLACE INTO state VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)')
  return (state) => {
    const columns = columnsOf(state)
    write.run(...columns, sumOf(columns))
  }
}

const columnsOf = ({ commits, head, headWriter, floor, historyThrough }: LedgerState) => [
  commits,
  head.index,
  head.hash,
  headWriter,
  floor.index,
  floor.hash,
  historyThrough,
]
