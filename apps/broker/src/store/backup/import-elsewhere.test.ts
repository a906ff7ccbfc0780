import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { gathered } from '../../../fixtures/store/backup/export-round-trip.ts'
import { createFakeObjects, type FakeObjects } from '../../../fixtures/store/kubernetes/objects.ts'
import { createMemoryHistory } from '../../../fixtures/store/memory/memory-history.ts'
import { collect } from '../../../fixtures/store/samples/journal-samples.ts'
import { aLedger, replayed } from '../../../fixtures/store/samples/ledger-samples.ts'
import { openKubernetesHistory } from '../kubernetes/kubernetes-history.ts'
import { openKubernetesJournal } from '../kubernetes/kubernetes-journal.ts'
import { openSqliteStore, type SqliteStore } from '../sqlite/sqlite-store.ts'
import { exportStore } from './backup.ts'
import { importInto } from './import-elsewhere.ts'

describe('a move from the embedded store to a shared one', () => {
  let root = ''
  let source: SqliteStore
  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'bourse-move-'))
    source = await openSqliteStore({ dataDir: join(root, 'data'), crash })
  })
  afterEach(async () => {
    await source.close()
    rmSync(root, { recursive: true })
  })

  it('brings the whole state over, in fewer objects than there were batches', async () => {
    const { ledger, last, ended } = await filled()
    const objects = createFakeObjects()

    const imported = await importInto(await exported(), await opened(objects), options())

    expect(imported).toMatchObject({ ledgerId: 'ledger-1', from: 'ledger-1' })
    const { journal, history } = await opened(objects)
    const after = await replayed(journal)
    expect(after.ledger.ledgerId).toBe('ledger-1')
    expect(Array.from(after.ledger.reservations())).toEqual(Array.from(ledger.reservations()))
    expect(await history.ended(ended.id)).toEqual(ended)
    // It was not in the history yet.
    expect(await history.decision(last)).toMatchObject({ index: 43 })
    expect(await history.request('rest', 'rome', 'r9')).toEqual({ kind: 'tombstone' })
  })

  it('brings the grounds along that are in batches alone, but none that were forgotten', async () => {
    const { first, middle, last, gone } = await filled({ isRecorded: true })
    const objects = createFakeObjects()
    await importInto(await exported(), await opened(objects), options())

    const { history } = await opened(objects)

    expect(await history.decision(first)).toMatchObject({ index: 3 })
    expect(await history.decision(middle)).toEqual(await source.history.decision(middle))
    expect(await history.decision(last)).toMatchObject({ index: 43 })
    expect(await history.decision(gone)).toBeUndefined()
    expect(await recordedIn(objects)).toHaveLength(39)
  })

  it('is refused where there is a ledger already', async () => {
    await filled()
    const objects = createFakeObjects()
    await importInto(await exported(), await opened(objects), options())

    const again = importInto(await exported(), await opened(objects), options())

    await expect(again).rejects.toThrow('The store holds a ledger already, at index 43')
  })

  /** `isRecorded`: of all but the last batch; one has ended long ago, and one moved to a row. */
  async function filled({ isRecorded = false } = {}) {
    const { found, advertise, reserve, execute, snapshot, ledger } = aLedger(source.journal)
    await found()
    await advertise('paris', 100_000n)
    const first = await reserve(1_000n)
    if (isRecorded) await snapshot(1_000_000)
    for (let nth = 0; nth < 36; nth++) await reserve(1_000n)
    const middle = await reserve(1_000n)
    const gone = await reserve(1_000n)
    if (isRecorded) await execute({ kind: 'release', id: gone.id })
    else await reserve(1_000n)
    const last = await reserve(1_000n)
    const ended = { ...last, id: 'rsv-0', phase: 'Released', endedAt: 900 } as const
    const tombstones = [{ door: 'rest', requester: 'rome', requestId: 'r9', at: 1_000 }]
    const through = isRecorded ? 42 : 3
    await source.history.record({ through, decisions: [], ended: [ended], tombstones })
    return { ledger, first, middle, gone, last, ended }
  }

  async function exported(): Promise<Readable> {
    const { into, bytes } = gathered()
    await exportStore(join(root, 'data'), into)
    return Readable.from(bytes())
  }

  const options = () => ({ keepLedgerId: true, scratch: mkdtempSync(join(root, 'scratch-')) })
})

async function recordedIn(objects: FakeObjects) {
  const { history } = await opened(objects)
  return (await collect(history.everything())).flatMap(({ decisions }) => decisions)
}

async function opened(objects: FakeObjects) {
  const place = { objects, namespace: 'bourse', slots: 16 }
  const journal = await openKubernetesJournal(place)
  const history = await openKubernetesHistory({ ...place, cache: createMemoryHistory() })
  return { journal, history, secureHistory: history.secure }
}

function crash(cause: Error): never {
  throw cause
}
