import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  aBatch,
  appendSome,
  aReservation,
  takeSnapshot,
} from '../../../fixtures/store/samples/journal-samples.ts'
import { DamagedJournal, type Journal } from '../port/journal.ts'
import { StoreUnusable } from '../port/store-errors.ts'
import { filesIn } from './disk/files.ts'
import { openStore, verifyDirectory } from './open-store.ts'
import { openSqliteStore, type SqliteStore } from './sqlite-store.ts'

const root = mkdtempSync(join(tmpdir(), 'bourse-flips-'))
/** As a kill -9 leaves it: some of it in the database, the newest only in the log. */
const killed = join(root, 'killed')
/** As a clean stop leaves it: all of it in the database. */
const stopped = join(root, 'stopped')
const untouched = new Map<string, string>()

beforeAll(async () => {
  const dataDir = join(root, 'live')
  await withStore(dataDir, (store) => liveALittle(store, 1))
  await withStore(dataDir, async (store) => {
    await liveALittle(store, 2)
    cpSync(dataDir, killed, { recursive: true })
  })
  cpSync(dataDir, stopped, { recursive: true })
  for (const store of [killed, stopped]) untouched.set(store, contentOf(copyOf(store)))
})
afterAll(() => rmSync(root, { recursive: true }))

describe('a flipped bit', () => {
  it('is not there to begin with', () => {
    expect(untouched.get(killed)).toContain('cluster-99')
    expect(untouched.get(killed)).toContain('["decisions",[{"id":"rsv-live-1-0"')
    expect(withoutState(killed)).toEqual(withoutState(stopped))
  })

  // So many at least: a flip that does nothing would find nothing refused.
  it.each([
    {
      what: 'the header of the database',
      store: stopped,
      file: 'database',
      from: 0,
      count: 100,
      step: 1,
      refusedMin: 40,
    },
    {
      what: 'the first pages',
      store: stopped,
      file: 'database',
      from: 100,
      count: 100,
      step: 131,
      refusedMin: 15,
    },
    {
      what: 'the header of the log',
      store: killed,
      file: 'wal',
      from: 0,
      count: 32,
      step: 1,
      refusedMin: 32,
    },
    {
      what: 'the first frame header',
      store: killed,
      file: 'wal',
      from: 32,
      count: 24,
      step: 1,
      refusedMin: 24,
    },
    {
      what: 'the first frames',
      store: killed,
      file: 'wal',
      from: 56,
      count: 60,
      step: 137,
      refusedMin: 60,
    },
  ] as const)('in $what is refused or changes nothing', (flips) => {
    const { store, file, from, count, step, refusedMin } = flips
    const refused = Array.from({ length: count }, (_, nth) =>
      isRefused({ store, file, byte: from + nth * step, bit: nth % 8 }),
    )

    expect(refused.filter(Boolean).length).toBeGreaterThanOrEqual(refusedMin)
  })

  it.each([
    {
      what: 'a database after a clean stop',
      store: stopped,
      file: 'database',
      seed: 1,
      refusedMin: 60,
    },
    { what: 'a database after a kill', store: killed, file: 'database', seed: 2, refusedMin: 15 },
    { what: 'a log after a kill', store: killed, file: 'wal', seed: 3, refusedMin: 90 },
  ] as const)('anywhere in $what is refused or changes nothing', (flips) => {
    const { store, file, seed, refusedMin } = flips
    const size = statSync(filesIn(store)[file]).size
    const random = randomFrom(seed)
    const refused = Array.from({ length: 100 }, () =>
      isRefused({ store, file, byte: random(size), bit: random(8) }),
    )

    expect(refused.filter(Boolean).length).toBeGreaterThanOrEqual(refusedMin)
  })
})

type Flip = Readonly<{ store: string; file: 'database' | 'wal'; byte: number; bit: number }>

/**
 * Opens a copy with one bit flipped: it must refuse, or have exactly what it had. The same holds
 * for a verification.
 */
function isRefused({ store, file, byte, bit }: Flip): boolean {
  const dataDir = copyOf(store)
  flip(filesIn(dataDir)[file], byte, bit)

  const verified = orRefusal(() => verifyDirectory(dataDir).state.head.hash)
  const found = orRefusal(() => contentOf(dataDir))

  const place = `${file}, byte ${byte}, bit ${bit}`
  const isHarmless = found === untouched.get(store) || found === 'refused'
  expect(isHarmless, place).toBe(true)
  expect(verified === 'refused', `verified: ${place}`).toBe(found === 'refused')
  return found === 'refused'
}

function copyOf(dataDir: string): string {
  const copy = join(root, 'copy')
  rmSync(copy, { recursive: true, force: true })
  cpSync(dataDir, copy, { recursive: true })
  return copy
}

function orRefusal(read: () => string): string {
  try {
    return read()
  } catch (error) {
    const isRefusal = error instanceof DamagedJournal || error instanceof StoreUnusable
    if (!isRefusal) throw error
    expect(error.message).toMatch(/bourse\.|Batch|Chunk|Row|row|Snapshot|snapshot|Table|totals/)
    return 'refused'
  }
}

function contentOf(dataDir: string): string {
  const { db, witness, lock } = openStore(dataDir)
  try {
    return JSON.stringify(everyRowOf(db))
  } finally {
    db.close()
    witness.close()
    lock.release()
  }
}

function everyRowOf(db: DatabaseSync) {
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
  return tables.map(({ name }) => [name, db.prepare(`SELECT * FROM ${name}`).all()])
}

/** A clean stop renews the state, a kill does not. */
function withoutState(store: string) {
  const tables: readonly [name: string, rows: unknown][] = JSON.parse(untouched.get(store) ?? '[]')
  return tables.filter(([name]) => name !== 'state')
}

function flip(path: string, byte: number, bit: number): void {
  const content = readFileSync(path)
  content[byte] = (content[byte] ?? 0) ^ (1 << bit)
  writeFileSync(path, content)
}

/** A small seeded generator (mulberry32), so that a failure can be repeated. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

async function withStore(dataDir: string, work: (store: SqliteStore) => Promise<void>) {
  const crash = (cause: Error) => {
    throw cause
  }
  const store = await openSqliteStore({ dataDir, crash })
  await work(store)
  await store.close()
}

/** Compaction makes rows of their grounds. */
async function appendGrants(journal: Journal, round: number): Promise<void> {
  const decision = {
    policy: 'p',
    best: [{ clusterId: 'paris', score: 66.67, parts: {} }],
    refused: {},
  }
  let before = await journal.head()
  for (let nth = 0; nth < 30; nth++) {
    const reservation = aReservation(`rsv-live-${round}-${nth}`, { decidedIndex: before.index + 1 })
    const batch = aBatch(before, { events: [{ kind: 'reserved', at: 1, reservation, decision }] })
    await journal.append(batch)
    before = batch
  }
}

async function liveALittle({ journal, history }: SqliteStore, round: number): Promise<void> {
  await appendGrants(journal, round)
  const head = await appendSome(journal, 150)
  await takeSnapshot(journal, head, ['x'.repeat(9_000), 'y'.repeat(5_000)])
  const ended = Array.from({ length: 60 }, (_, nth) =>
    aReservation(`rsv-${round}-${nth}`, { phase: 'Released', endedAt: nth, requestId: `r${nth}` }),
  )
  await history.record({ through: head.index, decisions: [], ended, tombstones: [] })
  await history.prune({ endedBefore: 10, requestsBefore: 10, requestsMax: 40 })
  await journal.compact(head.index - 40)
  await appendSome(journal, 100)
}
