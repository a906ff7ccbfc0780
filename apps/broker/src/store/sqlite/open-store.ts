import { existsSync, statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { DamagedJournal } from '../port/journal.ts'
import { type DirectoryLock, lockDirectory } from './disk/directory-lock.ts'
import { filesIn, type StoreFiles } from './disk/files.ts'
import {
  keepPrivate,
  openForReading,
  openForWriting,
  openingError,
  prepareDirectory,
} from './disk/open-database.ts'
import { inspectWal, type WalInspection } from './disk/wal-inspection.ts'
import { openWitness, readWitness, type WitnessReading } from './disk/witness.ts'
import { type CheckedStore, checkStore, type Thoroughness } from './store-check.ts'
import { createCommitter } from './tables/committer.ts'
import { GUARDED } from './tables/guarded-table.ts'
import { createStateWriter, EMPTY_STATE, type LedgerState } from './tables/ledger-state.ts'
import { createSchema, isBlank, noteLayout } from './tables/schema.ts'

/** Up to this size everything is checked before the first answer; beyond it, afterwards. */
const WHOLE_CHECK_MAX_BYTES = 64 * 1024 * 1024

const WHAT_TO_DO =
  'Keep a copy of the directory, then restore the newest backup into an empty one with ' +
  '`bourse ledger import FILE --data-dir DIR`'

export type OpenedStore = ReturnType<typeof openStore>

/** Everything a store needs before it can be trusted; takes the directory's lock and keeps it. */
export function openStore(dataDir: string, isCache = false) {
  let lock: DirectoryLock | undefined
  try {
    prepareDirectory(dataDir)
    const files = filesIn(dataDir)
    lock = lockDirectory(files)
    return { files, lock, isCache, ...openLocked(files, isCache) }
  } catch (error) {
    lock?.release()
    throw openingError(dataDir, error)
  }
}

function openLocked(files: StoreFiles, isCache: boolean) {
  const witnessed = readWitness(files.witness)
  const found = examine(files, witnessed)
  keepPrivate(files.database)
  const db = openForWriting(files.database, isCache)
  if (found.isNew) createTables(db)
  else noteLayout(db, 'open')
  // A new log: what a torn tail has left must not look like damage next time.
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  const witness = openWitness(files.witness)
  const committer = createCommitter({ db, witness })
  committer.attest()
  return { db, witness, committer, notices: found.notices, checked: found.checked }
}

type Findings = Readonly<{ isNew: boolean; checked: Thoroughness; notices: readonly string[] }>

/** Looks at the files through a connection that changes nothing, so that evidence stays. */
function examine(files: StoreFiles, witnessed: WitnessReading): Findings {
  const wal = inspectWal(files.wal)
  if (wal.verdict === 'middle') throw damagedLog(files, wal)
  if (!existsSync(files.database)) {
    if (witnessed.newest) throw behind(files, { witnessed, wal, state: EMPTY_STATE })
    return { isNew: true, checked: 'whole', notices: [] }
  }
  const isLarge = statSync(files.database).size > WHOLE_CHECK_MAX_BYTES
  const checked = isLarge && wal.verdict === 'clean' ? 'start' : 'whole'
  const db = openForReading(files.database)
  try {
    const isNew = isBlank(db)
    const state = isNew ? EMPTY_STATE : checkStore(db, files.database, checked).state
    compareWithWitness({ db, files, witnessed, wal, state })
    return { isNew, checked, notices: isNew ? [] : noticesOf(files, witnessed, wal) }
  } finally {
    db.close()
  }
}

function createTables(db: DatabaseSync): void {
  createSchema(db)
  for (const name of Object.keys(GUARDED))
    db.prepare('INSERT INTO totals VALUES (?, 0, 0)').run(name)
  createStateWriter(db)({ ...EMPTY_STATE, commits: 1 })
  db.exec('COMMIT')
}

export type VerifiedStore = CheckedStore & Readonly<{ notices: readonly string[] }>

/** Everything in a store, whether or not a broker is running on it. Throws `DamagedJournal`. */
export function verifyDirectory(dataDir: string): VerifiedStore {
  const files = filesIn(dataDir)
  const wal = inspectLiveWal(files)
  // In this order: while a broker runs, what is read first can only be behind what is read later.
  const witnessed = readLiveWitness(files)
  const db = openForReading(files.database)
  try {
    const checked = checkStore(db, files.database, 'whole')
    compareWithWitness({ db, files, witnessed, wal, state: checked.state })
    return { ...checked, notices: witnessNotices(files, witnessed) }
  } catch (error) {
    throw openingError(dataDir, error)
  } finally {
    db.close()
  }
}

/** A broker may be beginning its log anew as we read it: damage is what is there twice. */
function inspectLiveWal(files: StoreFiles): WalInspection {
  const first = inspectWal(files.wal)
  const again = first.verdict === 'middle' ? inspectWal(files.wal) : first
  if (again.verdict === 'middle' && again.stop.byte === first.stop.byte)
    throw damagedLog(files, again)
  return again
}

/** Nor is a slot damaged that a broker was just writing to. */
function readLiveWitness({ witness }: StoreFiles): WitnessReading {
  const first = readWitness(witness)
  return first.damaged.length > 0 ? readWitness(witness) : first
}

type Evidence = Readonly<{ witnessed: WitnessReading; wal: WalInspection; state: LedgerState }>

/** The database may be ahead (a kill between commit and note), never behind or elsewhere. */
function compareWithWitness(
  evidence: Evidence & Readonly<{ db: DatabaseSync; files: StoreFiles }>,
): void {
  const { db, files, witnessed, state } = evidence
  const { newest } = witnessed
  if (!newest) return
  if (state.commits < newest.commits || state.head.index < newest.index)
    throw behind(files, evidence)
  if (newest.index < state.floor.index) return
  const hash =
    newest.index === state.floor.index
      ? state.floor.hash
      : db.prepare('SELECT hash FROM batches WHERE idx = ?').get(newest.index)?.hash
  if (hash !== newest.hash)
    throw new DamagedJournal(
      `Batch ${newest.index} in ${files.database} is not the one that ${files.witness} has noted: ` +
        `they belong to different ledgers, or one was exchanged. ${WHAT_TO_DO}`,
    )
}

function behind(files: StoreFiles, { witnessed, wal, state }: Evidence): DamagedJournal {
  const { newest } = witnessed
  const { frame, byte } = wal.stop
  return new DamagedJournal(
    `${files.database} ends at batch ${state.head.index} (transaction ${state.commits}), but batch ` +
      `${newest?.index} (transaction ${newest?.commits}) was acknowledged, as ${files.witness} ` +
      `has noted. SQLite can read ${files.wal} up to ${placeOf(frame)} (byte ${byte}). ${WHAT_TO_DO}`,
  )
}

const placeOf = (frame: number) => (frame === 0 ? 'its header' : `frame ${frame}`)

const damagedLog = (files: StoreFiles, { framesLost, stop }: WalInspection) =>
  new DamagedJournal(
    `${files.wal} is damaged at ${placeOf(stop.frame)} (byte ${stop.byte}), and the ${framesLost} ` +
      `frames from there on hold transactions that were safe on disk. ${WHAT_TO_DO}`,
  )

function noticesOf(
  files: StoreFiles,
  witnessed: WitnessReading,
  wal: WalInspection,
): readonly string[] {
  const notices = witnessNotices(files, witnessed).map((what) => `${what}; it was recreated`)
  if (wal.verdict === 'torn')
    notices.push(
      `Dropped an unfinished transaction at ${placeOf(wal.stop.frame)} (byte ${wal.stop.byte}) of ` +
        `${files.wal}: no caller had been told of it`,
    )
  return notices
}

function witnessNotices(
  { witness }: StoreFiles,
  { exists, newest, damaged }: WitnessReading,
): readonly string[] {
  const slots = damaged.map((slot) => `Slot ${slot} of ${witness} is damaged`)
  if (exists && newest) return slots
  const what = `${witness} ${exists ? 'is unreadable' : 'is missing'}`
  return [...slots, `${what}, so a lost end of the journal could not be detected`]
}
