import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  statSync,
} from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { makeDirectory } from '@bourse/daemon/make-directory'
import { DamagedJournal } from '../../port/journal.ts'
import { StoreUnusable } from '../../port/store-errors.ts'
import { filesIn } from './files.ts'
import { troubleOf } from './sqlite-error.ts'

const BUSY_WAIT_MS = 1_000
/** The log is cut back to this when it starts anew. */
const LOG_BYTES_KEPT = 64 * 1024 * 1024
/** A cache's log (4 MiB) goes into the database when it is longer. */
const CACHE_LOG_PAGES = 1_000

/** What a store's threads are told. `isCache`: it may be lost, and is made anew at each start. */
export type StorePlace = Readonly<{ dataDir: string; isCache: boolean }>

/** The ledger names every tenant: only the broker's own user may read it. */
const OWNER_ONLY = 0o600

export function openForWriting(path: string, isCache = false): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: BUSY_WAIT_MS })
  // FULL: every commit is on the disk before it is answered. Not left to the default.
  db.exec(`PRAGMA synchronous = ${isCache ? 'OFF' : 'FULL'}`)
  // Checkpoints run on a thread of their own, so that no commit waits for one. No caller waits for
  // a commit to a cache, and it is not flushed: there, a thread would cost more.
  db.exec(`PRAGMA wal_autocheckpoint = ${isCache ? CACHE_LOG_PAGES : 0}`)
  db.exec(`PRAGMA journal_size_limit = ${LOG_BYTES_KEPT}`)
  return db
}

/**
 * SQLite gives its log and index the mode of the database, so that this is made here before SQLite
 * makes it readable for everyone. What an earlier version made is closed to others if it is ours.
 */
export function keepPrivate(path: string): void {
  // One that exists is not opened here: to close it would drop the locks that SQLite has on it.
  if (!existsSync(path)) closeSync(openSync(path, 'wx', OWNER_ONLY))
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    const stat = statSync(file, { throwIfNoEntry: false })
    if (stat && (stat.mode & 0o077) !== 0 && stat.uid === process.getuid?.())
      chmodSync(file, OWNER_ONLY)
  }
}

/** Also while a broker runs, and for a damaged file: it changes nothing, not even on closing. */
export const openForReading = (path: string): DatabaseSync =>
  new DatabaseSync(path, { readOnly: true, timeout: BUSY_WAIT_MS })

/** How long the log is, and how much of it is not in the database yet. */
export type LogLength = Readonly<{ frames: number; left: number }>

/** NOOP only reads; PASSIVE moves what it can without waiting. */
export function checkpointLog(db: DatabaseSync, mode: 'NOOP' | 'PASSIVE'): LogLength {
  const row = db.prepare(`PRAGMA wal_checkpoint(${mode})`).get()
  const frames = Number(row?.log)
  return { frames, left: frames - Number(row?.checkpointed) }
}

/** Creates the directory if it is missing, and says in one sentence why it cannot be used. */
export function prepareDirectory(dataDir: string): void {
  try {
    makeDirectory(dataDir)
    if (!statSync(dataDir).isDirectory()) throw notADirectory(dataDir)
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw error instanceof StoreUnusable ? error : unusable(dataDir, error)
  }
}

/** What an error while opening a store means for the operator. */
export function openingError(dataDir: string, error: unknown): unknown {
  if (error instanceof StoreUnusable || error instanceof DamagedJournal) return error
  const trouble = troubleOf(error)
  if (trouble !== 'bug' && trouble !== 'damaged') return unusable(dataDir, error)
  // Our statements are known to be right, so a file that cannot run them is not as we made it.
  return trouble === 'damaged' || isFromSqlite(error) ? damaged(dataDir, error) : error
}

const isFromSqlite = (error: unknown) => (error as { errcode?: number }).errcode !== undefined

const damaged = (dataDir: string, error: unknown) =>
  new DamagedJournal(`${filesIn(dataDir).database} is damaged: ${(error as Error).message}`, {
    cause: error,
  })

function unusable(dataDir: string, error: unknown): StoreUnusable {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EEXIST' || code === 'ENOTDIR') return notADirectory(dataDir)
  if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM')
    return new StoreUnusable(
      `${dataDir} cannot be written (${code})`,
      'Give this user read and write access to it, or choose another --data-dir',
      { cause: error },
    )
  if (troubleOf(error) === 'refused')
    return new StoreUnusable(
      `${dataDir} has no room or is busy (${message})`,
      'Free some space on its file system and start again',
      { cause: error },
    )
  return new StoreUnusable(
    `${dataDir} cannot be used as a store (${message})`,
    'Check that the directory and the files in it can be read and written by this user',
    { cause: error },
  )
}

const notADirectory = (dataDir: string) =>
  new StoreUnusable(`${dataDir} is not a directory`, 'Choose another --data-dir')
