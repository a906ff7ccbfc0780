import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { aBatch, aReservation } from '../../../fixtures/store/samples/journal-samples.ts'
import { aLedger } from '../../../fixtures/store/samples/ledger-samples.ts'
import { NO_HEAD } from '../codec/batch.ts'
import { DamagedJournal } from '../port/journal.ts'
import { filesIn } from '../sqlite/disk/files.ts'
import { openSqliteStore, type SqliteStore } from '../sqlite/sqlite-store.ts'
import { verifyStore } from './backup.ts'

/** Late enough that a snapshot leaves nothing before it to be replayed. */
const LATE = 1_000_000
/** So early that it removes nothing. */
const EARLY = 0

describe('the grounds of a decision', () => {
  let dataDir = ''
  let store: SqliteStore
  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'bourse-grounds-'))
    store = await openSqliteStore({ dataDir, crash })
  })
  afterEach(async () => {
    await store.close()
    rmSync(dataDir, { recursive: true })
  })

  it('are found in the batch that has decided', async () => {
    const { reserve } = await aMarket()
    await reserve(1_000n)
    const second = await reserve(4_000n)

    const record = await store.history.decision(second)

    expect(record).toMatchObject({ reservationId: second.id, index: 4, at: 1_000 })
    expect(record?.request).toEqual({ requester: 'rome', wanted: { cpu: 4_000n } })
    expect(record?.decision.best).toMatchObject([{ clusterId: 'paris' }])
    expect(rows()).toBe(0)
  })

  it('are found where a store of smaller batches had cut the one that decided', async () => {
    const [first, second] = [aReservation('rsv-1'), aReservation('rsv-2')]
    const decision = { policy: 'p', best: [], refused: {} }
    const reserved = (reservation: typeof first) =>
      ({ kind: 'reserved', at: 1_000, reservation, decision }) as const
    const one = aBatch(NO_HEAD, { events: [reserved(first)] })
    await store.journal.append(one)
    await store.journal.append(aBatch(one, { events: [reserved(second)] }))

    expect(await store.history.decision(second)).toMatchObject({ index: 2, decision })
  })

  it('are not known of a reservation that was never made', async () => {
    await aMarket()

    expect(await store.history.decision({ id: 'rsv-9', decidedIndex: 1 })).toBeUndefined()
    expect(await store.history.decision({ id: 'rsv-9', decidedIndex: 99 })).toBeUndefined()
  })

  it('outlive their batch, and a restart, for as long as the reservation lives', async () => {
    const { reserve, snapshot } = await aMarket()
    const reservation = await reserve(4_000n)
    const before = await store.history.decision(reservation)

    await snapshot(LATE)
    await store.close()
    store = await openSqliteStore({ dataDir, crash })

    await expect(async () => {
      for await (const _ of store.journal.read(reservation.decidedIndex));
    }).rejects.toThrow('is gone')
    expect(before).toBeDefined()
    expect(await store.history.decision(reservation)).toEqual(before)
    expect(rows()).toBe(1)
  })

  it('go with what is remembered of an ended reservation, if their batch went before', async () => {
    const { reserve, snapshot, release } = await aMarket()
    const reservation = await reserve(4_000n)
    await snapshot(LATE)
    await release(reservation.id)
    await snapshot(LATE)
    expect(await store.history.decision(reservation)).toMatchObject({ index: 3 })

    await forgetAll()

    expect(await store.history.decision(reservation)).toBeUndefined()
    expect(rows()).toBe(0)
  })

  it.each([
    { name: 'in one go', isCut: false },
    { name: 'one after the other', isCut: true },
  ])('leave nothing behind if their batch and that of the end go later, $name', async (given) => {
    const { reserve, snapshot, release } = await aMarket()
    const gone = await reserve(1_000n)
    await snapshot(EARLY)
    const kept = await reserve(1_000n)
    await release(gone.id)
    await forgetAll()

    if (given.isCut) await store.journal.compact(gone.decidedIndex + 1)
    expect(rows()).toBe(given.isCut ? 1 : 0)
    await snapshot(LATE)

    expect(await store.history.decision(gone)).toBeUndefined()
    expect(await store.history.decision(kept)).toMatchObject({ reservationId: kept.id })
    expect(rows()).toBe(1)
  })

  it.each([
    { name: 'with a flipped bit', damage: "text = replace(text, 'paris', 'qaris')" },
    { name: 'with another hash', damage: "hash = 'x'" },
    { name: 'in the place of another', damage: 'idx = 77' },
  ])('are never taken from a batch $name: it is named', async ({ damage }) => {
    const { reserve, snapshot } = await aMarket()
    const reservation = await reserve(4_000n)
    await reserve(1_000n)
    change(`UPDATE batches SET ${damage} WHERE idx = ${reservation.decidedIndex}`)

    const asked = store.history.decision(reservation)

    await expect(asked).rejects.toThrow(DamagedJournal)
    await expect(asked).rejects.toThrow('Batch 3 of the journal')
    // What cannot be read is not deleted either.
    expect(await snapshot(LATE)).toMatch(/Taking a snapshot failed: Batch \d of the journal/)
    await expect(store.history.decision(reservation)).rejects.toThrow('Batch 3 of the journal')
  })

  it('are not looked for in the journal of a cache, whose compaction makes no rows', async () => {
    await store.close()
    store = await openSqliteStore({ dataDir, isCache: true, crash })
    const { reserve, snapshot } = await aMarket()
    const reservation = await reserve(4_000n)

    expect(store.history.findsDecisionsInJournal).toBe(false)
    expect(await store.history.decision(reservation)).toBeUndefined()
    await snapshot(LATE)
    expect(rows()).toBe(0)
  })

  async function aMarket() {
    const made = aLedger(store.journal)
    await made.found()
    await made.advertise('paris', 10_000n)
    return { ...made, release }

    /** With what the keeper of the history does after the commit. */
    async function release(id: string): Promise<void> {
      await made.execute({ kind: 'release', id })
      const ended = [made.ledger.reservation(id) ?? aReservation(id)]
      const through = made.head().index
      await store.history.record({ through, decisions: [], ended, tombstones: [] })
    }
  }

  const forgetAll = () =>
    store.history.prune({ endedBefore: LATE, requestsBefore: LATE, requestsMax: 10 })

  const rows = () => verifyStore(dataDir).rows.decisions

  function change(sql: string): void {
    const db = new DatabaseSync(filesIn(dataDir).database)
    db.exec(sql)
    db.close()
  }
})

function crash(cause: Error): never {
  throw cause
}
