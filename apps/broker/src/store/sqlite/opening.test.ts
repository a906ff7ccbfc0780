import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { appendSome } from '../../../fixtures/store/samples/journal-samples.ts'
import { DamagedJournal } from '../port/journal.ts'
import { StoreUnusable } from '../port/store-errors.ts'
import { filesIn } from './disk/files.ts'
import { openStore, verifyDirectory } from './open-store.ts'
import { openSqliteStore } from './sqlite-store.ts'
import { readState } from './tables/ledger-state.ts'

const root = mkdtempSync(join(tmpdir(), 'bourse-opening-'))
/** Twenty acknowledged batches; the last ones only in the log, as a kill -9 leaves them. */
const killed = join(root, 'killed')
beforeAll(async () => {
  const dataDir = join(root, 'live')
  const store = await openSqliteStore({ dataDir, crash })
  await appendSome(store.journal, 20)
  cpSync(dataDir, killed, { recursive: true })
  await store.close()
})
afterAll(() => rmSync(root, { recursive: true }))

describe('opening a store', () => {
  it('makes a missing directory that only its owner can enter', () => {
    const dataDir = join(root, 'new', 'deeper')

    open(dataDir)

    expect(statSync(dataDir).mode & 0o777).toBe(0o700)
  })

  it('finds after a kill what was acknowledged, without a word', () => {
    expect(open(copyOf(killed))).toEqual({ index: 20, notices: [] })
  })

  it('counts the tables as one transaction, and each batch as another', () => {
    changing(copyOf(killed), (db) => expect(readState(db).commits).toBe(21))
  })

  it('tells the second broker who holds the directory', async () => {
    const dataDir = join(root, 'held')
    const first = await openSqliteStore({ dataDir, crash })
    await first.noteAddress('https://0.0.0.0:8443')

    const second = openSqliteStore({ dataDir, crash })

    await expect(second).rejects.toThrow(StoreUnusable)
    await expect(second).rejects.toThrow(
      new RegExp(`process ${process.pid} on .* since 20.*, listening on https://0.0.0.0:8443`),
    )
    await first.close()
    expect(existsSync(filesIn(dataDir).holder)).toBe(false)
  })

  it('refuses a file in place of the directory', () => {
    const path = join(root, 'a-file')
    writeFileSync(path, '')

    expect(() => openStore(path)).toThrow(`${path} is not a directory`)
  })

  it('refuses a place where no directory can be made', () => {
    expect(() => openStore('/proc/nowhere/deep')).toThrow('/proc/nowhere/deep cannot be used')
  })

  it('refuses a database of another program', () => {
    const dataDir = copyOf(killed)
    for (const file of Object.values(filesIn(dataDir))) rmSync(file, { force: true })
    const other = new DatabaseSync(filesIn(dataDir).database)
    other.exec('CREATE TABLE notes (text TEXT)')
    other.close()

    expect(() => openStore(dataDir)).toThrow('is not a ledger')
  })

  it('refuses a layout of a newer broker, and says what to start', () => {
    const dataDir = copyOf(killed)
    changing(dataDir, (db) => db.exec('PRAGMA user_version = 3'))

    expect(() => openStore(dataDir)).toThrow('layouts up to 2')
  })

  it('is left by a clean stop as the version before knows it', async () => {
    const dataDir = copyOf(killed)
    const store = await openSqliteStore({ dataDir, crash })
    await store.close()

    changing(dataDir, (db) => {
      expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: 1 })
      const noted = db.prepare('SELECT commits, head_index FROM state').get()
      expect(noted).toEqual({ commits: 22, head_index: 20 })
    })
    expect(open(dataDir)).toEqual({ index: 20, notices: [] })
    changing(dataDir, (db) =>
      expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: 2 }),
    )
  })
})

describe('a store that has lost something', () => {
  it('is refused without its log, naming both ends and what to do', () => {
    const dataDir = copyOf(killed)
    rmSync(filesIn(dataDir).wal)

    const opening = () => openStore(dataDir)

    expect(opening).toThrow(DamagedJournal)
    expect(opening).toThrow(/ends at batch 0 .* but batch 20 .* acknowledged/)
    expect(opening).toThrow('bourse ledger import')
  })

  it('is refused without its database', () => {
    const dataDir = copyOf(killed)
    rmSync(filesIn(dataDir).database)
    rmSync(filesIn(dataDir).wal)

    expect(() => openStore(dataDir)).toThrow('batch 20')
  })

  it('is refused with an older database beside a newer witness', () => {
    const dataDir = copyOf(killed)
    cutLogTo(dataDir, 0.5)

    expect(() => openStore(dataDir)).toThrow(/SQLite can read .* up to frame \d+ \(byte \d+\)/)
  })

  it('is refused without its last batch, which alone told of itself', () => {
    const dataDir = copyOf(killed)
    changing(dataDir, (db) => db.exec('DELETE FROM batches WHERE idx = 20'))

    expect(() => openStore(dataDir)).toThrow(/ends at batch 19 .* but batch 20 .* acknowledged/)
  })

  it('keeps its evidence: refusing changes nothing', () => {
    const dataDir = copyOf(killed)
    flipLogAt(dataDir, 5_000)
    const before = readFileSync(filesIn(dataDir).wal)

    expect(() => openStore(dataDir)).toThrow(/damaged at frame 2 \(byte 4152\)/)

    expect(readFileSync(filesIn(dataDir).wal).equals(before)).toBe(true)
  })

  it('is not verified with a damaged log, though no witness tells of what is lost', () => {
    const dataDir = copyOf(killed)
    flipLogAt(dataDir, 5_000)
    rmSync(filesIn(dataDir).witness)

    expect(() => verifyDirectory(dataDir)).toThrow(/damaged at frame 2 \(byte 4152\)/)
  })

  it('drops an unfinished transaction that no caller was told of, and says so', () => {
    const dataDir = copyOf(killed)
    tearOffLastCommit(dataDir)

    const { index, notices } = open(dataDir)

    expect(index).toBe(19)
    expect(notices).toEqual([expect.stringContaining('Dropped an unfinished transaction')])
  })

  it('warns when the witness is missing, and makes it anew', () => {
    const dataDir = copyOf(killed)
    rmSync(filesIn(dataDir).witness)

    expect(verifyDirectory(dataDir).notices).toEqual([
      expect.stringContaining('bourse.witness is missing'),
    ])
    expect(open(dataDir).notices).toEqual([expect.stringContaining('bourse.witness is missing')])
    expect(open(dataDir).notices).toEqual([])
  })

  it('names a damaged slot of the witness', () => {
    const dataDir = copyOf(killed)
    const { witness } = filesIn(dataDir)
    writeFileSync(witness, readFileSync(witness).fill('#', 0, 4))

    expect(verifyDirectory(dataDir).notices).toEqual([expect.stringContaining('Slot 1 of')])
    expect(open(dataDir).notices).toEqual([expect.stringContaining('Slot 1 of')])
  })
})

function crash(cause: Error): never {
  throw cause
}

function open(dataDir: string) {
  const { db, witness, lock, committer, notices } = openStore(dataDir)
  db.close()
  witness.close()
  lock.release()
  return { index: committer.state().head.index, notices }
}

function changing(dataDir: string, change: (db: DatabaseSync) => void): void {
  const db = new DatabaseSync(filesIn(dataDir).database)
  change(db)
  db.close()
}

let copies = 0
function copyOf(dataDir: string): string {
  const copy = join(root, `copy-${copies++}`)
  cpSync(dataDir, copy, { recursive: true })
  chmodSync(copy, 0o700)
  return copy
}

function cutLogTo(dataDir: string, share: number): void {
  const { wal } = filesIn(dataDir)
  truncateSync(wal, Math.floor(statSync(wal).size * share))
}

function flipLogAt(dataDir: string, byte: number): void {
  const { wal } = filesIn(dataDir)
  const content = readFileSync(wal)
  content[byte] = (content[byte] ?? 0) ^ 1
  writeFileSync(wal, content)
}

/** As a power cut leaves it: the last page is half written, and the witness's last note is lost. */
function tearOffLastCommit(dataDir: string): void {
  const { wal, witness } = filesIn(dataDir)
  const log = readFileSync(wal)
  writeFileSync(wal, log.fill(0, log.length - 100))
  const notes = readFileSync(witness)
  const newest = notes.toString('latin1', 0, 256).includes('"index":20') ? 0 : 256
  writeFileSync(witness, notes.fill(0, newest, newest + 256))
}
