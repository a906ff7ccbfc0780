import { DamagedJournal } from '../../port/journal.ts'
import type { Trouble } from '../../port/store-fault.ts'

/** SQLite's primary result codes, from its documentation. */
const BUSY = 5
const LOCKED = 6
const READONLY = 8
const IOERR = 10
const CORRUPT = 11
const FULL = 13
const CANTOPEN = 14
const NOTADB = 26
/** No room for the shared-memory index: an I/O error by name, but nothing was written yet. */
const IOERR_SHMSIZE = 4_874

/** What an error of SQLite or of the file system means for us. */
export function troubleOf(error: unknown): Trouble {
  if (error instanceof DamagedJournal) return 'damaged'
  const { errcode, code } = error as { errcode?: number; code?: string }
  if (errcode === IOERR_SHMSIZE) return 'refused'
  if (errcode !== undefined) return primaryTrouble(errcode & 0xff)
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'refused'
  if (code === 'EIO') return 'untrusted'
  return code === 'EROFS' || code === 'EACCES' || code === 'EPERM' ? 'unusable' : 'bug'
}

/** Another process has the lock; a full disk is refused as well. */
export function isBusy(error: unknown): boolean {
  const { errcode = 0 } = error as { errcode?: number }
  return (errcode & 0xff) === BUSY || (errcode & 0xff) === LOCKED
}

function primaryTrouble(code: number): Trouble {
  switch (code) {
    case BUSY:
    case LOCKED:
    case FULL:
      return 'refused'
    case CORRUPT:
    case NOTADB:
      return 'damaged'
    case READONLY:
    case CANTOPEN:
      return 'unusable'
    case IOERR:
      return 'untrusted'
    default:
      return 'bug'
  }
}
