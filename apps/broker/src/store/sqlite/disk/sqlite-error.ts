import { DamagedJournal } from '../../port/journal.ts'
import type { Trouble } from '../../port/store-errors.ts'

const BUSY = 5
const LOCKED = 6
/** By SQLite's primary result codes, from its documentation; any other is a bug. */
const TROUBLES: Readonly<Record<number, Trouble>> = {
  [BUSY]: 'refused',
  [LOCKED]: 'refused',
  8: 'unusable', // READONLY
  10: 'untrusted', // IOERR
  11: 'damaged', // CORRUPT
  13: 'refused', // FULL
  14: 'unusable', // CANTOPEN
  26: 'damaged', // NOTADB
}
/** No room for the shared-memory index: an I/O error by name, but nothing was written yet. */
const IOERR_SHMSIZE = 4_874

/** What an error of SQLite or of the file system means for us. */
export function troubleOf(error: unknown): Trouble {
  if (error instanceof DamagedJournal) return 'damaged'
  const { errcode, code } = error as { errcode?: number; code?: string }
  if (errcode === IOERR_SHMSIZE) return 'refused'
  if (errcode !== undefined) return TROUBLES[errcode & 0xff] ?? 'bug'
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'refused'
  if (code === 'EIO') return 'untrusted'
  return code === 'EROFS' || code === 'EACCES' || code === 'EPERM' ? 'unusable' : 'bug'
}

/** Another process has the lock; a full disk is refused as well. */
export function isBusy(error: unknown): boolean {
  const { errcode = 0 } = error as { errcode?: number }
  return (errcode & 0xff) === BUSY || (errcode & 0xff) === LOCKED
}
