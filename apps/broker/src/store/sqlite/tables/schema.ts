import { closeSync, openSync, readSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { DamagedJournal } from '../../port/journal.ts'
import { StoreUnusable } from '../../port/store-errors.ts'

/** "brse": tells our files from any other SQLite database. */
const APPLICATION_ID = 0x62727365

/**
 * While a broker has it open, batches run ahead of the state, which brokers before layout 2 take
 * for damage. After a clean stop the state has caught up, and they may read it as well.
 */
const LAYOUTS = { open: 2, stopped: 1 } as const

/**
 * One database. `state` is one row: how many transactions there ever were, where the journal began
 * and ended when it was last written; `batches` go on from there. `totals` has the number and the
 * sum of checksums of each history table's rows: together with `state`, `hash` and `sum` columns, a
 * row cannot vanish or change unnoticed.
 */
const TABLES = {
  state: `CREATE TABLE state (id INTEGER PRIMARY KEY CHECK (id = 1), commits INTEGER NOT NULL,
    head_index INTEGER NOT NULL, head_hash TEXT NOT NULL, head_writer TEXT NOT NULL,
    floor_index INTEGER NOT NULL, floor_hash TEXT NOT NULL, history_through INTEGER NOT NULL,
    sum INTEGER NOT NULL) STRICT`,
  batches: `CREATE TABLE batches (idx INTEGER PRIMARY KEY, writer TEXT NOT NULL,
    previous TEXT NOT NULL, hash TEXT NOT NULL, text TEXT NOT NULL) STRICT`,
  snapshots: `CREATE TABLE snapshots (id INTEGER PRIMARY KEY, head_index INTEGER NOT NULL,
    head_hash TEXT NOT NULL, chunks INTEGER NOT NULL, digest TEXT NOT NULL,
    finished INTEGER NOT NULL, sum INTEGER NOT NULL) STRICT`,
  chunks: `CREATE TABLE chunks (place INTEGER PRIMARY KEY, hash TEXT NOT NULL,
    text TEXT NOT NULL) STRICT`,
  totals: `CREATE TABLE totals (name TEXT PRIMARY KEY, count INTEGER NOT NULL,
    sum INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
  decisions: `CREATE TABLE decisions (id TEXT PRIMARY KEY, text TEXT NOT NULL,
    sum INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
  ended: `CREATE TABLE ended (id TEXT PRIMARY KEY, created_at INTEGER NOT NULL,
    ended_at INTEGER NOT NULL, request_key TEXT, text TEXT NOT NULL,
    sum INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
  parties: `CREATE TABLE parties (cluster TEXT NOT NULL, created_at INTEGER NOT NULL,
    id TEXT NOT NULL, roles INTEGER NOT NULL, sum INTEGER NOT NULL,
    PRIMARY KEY (cluster, created_at, id)) STRICT, WITHOUT ROWID`,
  requests: `CREATE TABLE requests (key TEXT PRIMARY KEY, requester TEXT NOT NULL,
    at INTEGER NOT NULL, reservation TEXT, tombstone TEXT,
    sum INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
} as const

const INDEXES = {
  ended_by_creation: 'CREATE INDEX ended_by_creation ON ended (created_at, id)',
  ended_by_end: 'CREATE INDEX ended_by_end ON ended (ended_at)',
  requests_by_time: 'CREATE INDEX requests_by_time ON requests (at)',
  requests_by_requester: 'CREATE INDEX requests_by_requester ON requests (requester, at)',
} as const

const STATEMENTS: Readonly<Record<string, string>> = { ...TABLES, ...INDEXES }

/** Nothing was ever committed to this file, not even our tables. */
export function isBlank(db: DatabaseSync): boolean {
  return db.prepare('SELECT count(*) AS n FROM sqlite_schema').get()?.n === 0
}

/** All tables or none: a kill in between leaves a blank file. */
export function createSchema(db: DatabaseSync): void {
  db.exec('PRAGMA auto_vacuum = NONE')
  db.exec('PRAGMA journal_mode = WAL')
  db.exec('BEGIN IMMEDIATE')
  for (const statement of Object.values(STATEMENTS)) db.exec(statement)
  db.exec(`PRAGMA application_id = ${APPLICATION_ID}`)
  noteLayout(db, 'open')
}

export function noteLayout(db: DatabaseSync, when: keyof typeof LAYOUTS): void {
  db.exec(`PRAGMA user_version = ${LAYOUTS[when]}`)
}

/** Refuses what is not ours, is from a newer broker, or does not look as we made it. */
export function checkSchema(db: DatabaseSync, file: string): void {
  const application = pragma(db, 'application_id')
  const version = Number(pragma(db, 'user_version'))
  if (application !== APPLICATION_ID)
    throw new DamagedJournal(`${file} is not a ledger: its application id is ${application}`)
  if (version > LAYOUTS.open)
    throw new StoreUnusable(
      `${file} has layout ${version}; this broker knows layouts up to ${LAYOUTS.open}`,
      'Start the newer version of the broker that wrote it',
    )
  if (version < LAYOUTS.stopped)
    throw new DamagedJournal(`${file} says that it has layout ${version}, which never existed`)
  const isWal = pragma(db, 'journal_mode') === 'wal' && namesLog(file)
  if (pragma(db, 'encoding') !== 'UTF-8' || !isWal)
    throw new DamagedJournal(`The header of ${file} names another encoding or journal mode`)
  compareStatements(db, file)
}

function compareStatements(db: DatabaseSync, file: string): void {
  const rows = db.prepare('SELECT name, sql FROM sqlite_schema ORDER BY name').all()
  const found = Object.fromEntries(rows.map(({ name, sql }) => [String(name), sql]))
  for (const name of new Set([...Object.keys(found), ...Object.keys(STATEMENTS)]))
    if (found[name] !== STATEMENTS[name])
      throw new DamagedJournal(`Table or index ${name} of ${file} is not as it was created`)
}

function pragma(db: DatabaseSync, name: string): number | string {
  // A pragma of this kind answers with one row of one column, named as itself.
  return db.prepare(`PRAGMA ${name}`).get()?.[name] as number | string
}

/**
 * The file format versions for reading and for writing, one byte each: SQLite opens a file that it
 * may only read.
 */
const VERSIONS_AT = 18
const WITH_LOG = 2

function namesLog(file: string): boolean {
  const header = Buffer.alloc(VERSIONS_AT + 2)
  const descriptor = openSync(file, 'r')
  readSync(descriptor, header)
  closeSync(descriptor)
  return header.subarray(VERSIONS_AT).every((version) => version === WITH_LOG)
}
