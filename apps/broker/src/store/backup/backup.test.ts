import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import type { Reservation } from '@bourse/domain/ledger'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { aLedger, replayed } from '../../../fixtures/store/samples/ledger-samples.ts'
import { openStore } from '../sqlite/open-store.ts'
import { openSqliteStore, type SqliteStore } from '../sqlite/sqlite-store.ts'
import { createStoreVerbs } from '../sqlite/store-verbs.ts'
import { exportStore, importStore, verifyStore } from './backup.ts'

describe('a store on disk', () => {
  let root = ''
  let store: SqliteStore
  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'bourse-replay-'))
    store = await openSqliteStore({ dataDir: join(root, 'data'), crash })
  })
  afterEach(async () => {
    await store.close()
    rmSync(root, { recursive: true })
  })

  it('is verified, exported while it runs, and imported under a new id', async () => {
    const { found, advertise, reserve, snapshot, ledger } = aLedger(store.journal)
    await found()
    await advertise('paris', 10_000n)
    await snapshot()
    const reservation = await reserve(4_000n)
    const tombstones = [{ door: 'rest', requester: 'rome', requestId: 'r9', at: 1_000 }]
    const ended = [{ ...reservation, id: 'rsv-0', phase: 'Released', endedAt: 900 } as const]
    await store.history.record({ through: 4, decisions: [], ended, tombstones })

    const checked = verifyStore(join(root, 'data'))
    const backup = await exported(join(root, 'data'))
    const copy = join(root, 'copy')
    const imported = await importStore(Readable.from(backup), copy, {
      newLedgerId: () => 'ledger-2',
    })

    expect(checked).toMatchObject({ snapshots: 1, notices: [], rows: { ended: 1, requests: 1 } })
    expect(imported).toMatchObject({
      ledgerId: 'ledger-2',
      from: 'ledger-1',
      ended: 1,
      tombstones: 1,
    })
    const restored = await openSqliteStore({ dataDir: copy, crash })
    const after = await replayed(restored.journal)
    expect(after.ledger.ledgerId).toBe('ledger-2')
    expect(Array.from(after.ledger.reservations())).toEqual(Array.from(ledger.reservations()))
    expect(await restored.history.ended('rsv-0')).toEqual(ended[0])
    expect(await restored.history.request('rest', 'rome', 'r9')).toEqual({ kind: 'tombstone' })
    expect(restored.notices).toEqual([])
    await restored.close()
  })

  it('exports the grounds in batches that lead nowhere any more', async () => {
    const { found, advertise, reserve, snapshot, head } = aLedger(store.journal)
    await found()
    await advertise('paris', 1_000_000n)
    const reservations: Reservation[] = []
    for (let nth = 0; nth < 150; nth++) reservations.push(await reserve(1_000n))
    await snapshot(0)
    reservations.push(await reserve(1_000n))
    await store.close()
    compactOnce(join(root, 'data'), head().index)
    store = await openSqliteStore({ dataDir: join(root, 'data'), crash })

    const copy = join(root, 'copy')
    await importStore(Readable.from(await exported(join(root, 'data'))), copy)

    const restored = await openSqliteStore({ dataDir: copy, crash })
    for (const one of reservations) {
      const grounds = await restored.history.decision(one)
      expect(grounds).toEqual(await store.history.decision(one))
      expect(grounds).toMatchObject({ reservationId: one.id, index: one.decidedIndex })
    }
    await restored.close()
    expect(verifyStore(join(root, 'data')).rows.decisions).toBe(98)
    expect(verifyStore(copy)).toMatchObject({ batches: 2, rows: { decisions: 150 } })
  })

  it('keeps its id when it moves to another store', async () => {
    const { found, head } = aLedger(store.journal)
    await found()

    const backup = await exported(join(root, 'data'))
    const imported = await importStore(Readable.from(backup), join(root, 'copy'), {
      keepLedgerId: true,
    })

    expect(imported).toMatchObject({ ledgerId: 'ledger-1', head: head() })
  })

  it('says how to accept that it is an older copy', async () => {
    const dataDir = join(root, 'data')
    await store.notes.write('rolled-back', '{}')

    const { notices } = verifyStore(dataDir)

    expect(notices.join()).toContain(`\`bourse ledger accept-rollback --data-dir ${dataDir}\``)
  })

  it.each([
    { name: 'is cut off', damage: (lines: string[]) => lines.slice(0, -1), says: 'cut off' },
    {
      name: 'lost a line',
      damage: (lines: string[]) => lines.toSpliced(2, 1),
      says: /damaged|instead of/,
    },
    {
      name: 'was changed',
      damage: (lines: string[]) => lines.map((line) => line.replace('rsv-0', 'rsv-9')),
      says: 'do not match its digest',
    },
    { name: 'is something else', damage: () => ['{"kind":"x"}\n'], says: 'This is not an export' },
  ])('is not restored from an export that $name', async ({ damage, says }) => {
    const { found, reserve, advertise } = aLedger(store.journal)
    await found()
    await advertise('paris', 10_000n)
    const ended = [
      { ...(await reserve(1_000n)), id: 'rsv-0', phase: 'Released', endedAt: 9 } as const,
    ]
    await store.history.record({ through: 3, decisions: [], ended, tombstones: [] })
    const copy = join(root, 'copy')
    const lines = damage(await exported(join(root, 'data')))

    await expect(importStore(Readable.from(lines), copy)).rejects.toThrow(says)

    expect(() => verifyStore(copy)).toThrow('There is no ledger')
  })

  // Node's own recursive mkdir would try for ever.
  it('is not restored where no directory can be made, and says so', async () => {
    const importing = importStore(Readable.from([]), '/proc/nowhere/deep')

    await expect(importing).rejects.toThrow('/proc/nowhere/deep cannot be used')
  })

  it('is never restored over another one', async () => {
    const backup = await exported(join(root, 'data'))

    const importing = importStore(Readable.from(backup), join(root, 'data'))

    await expect(importing).rejects.toThrow('is not empty')
  })
})

async function exported(dataDir: string): Promise<string[]> {
  const lines: string[] = []
  const into = new Writable({
    decodeStrings: false,
    write(line: string, _encoding, done) {
      lines.push(line)
      done()
    },
  })
  await exportStore(dataDir, into)
  return lines
}

/** As an export beside a broker may find it: half-way through what it compacts. */
function compactOnce(dataDir: string, keepFrom: number): void {
  const verbs = createStoreVerbs(openStore(dataDir))
  expect(verbs.compactStep(keepFrom, [])).toBe(true)
  verbs.close()
}

function crash(cause: Error): never {
  throw cause
}
