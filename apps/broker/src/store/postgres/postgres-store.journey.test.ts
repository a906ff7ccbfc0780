import { randomUUID } from 'node:crypto'
import { startPostgres, type TestPostgres } from '@bourse/testkit/postgres'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { aBatch, appendSome } from '../../../fixtures/store/samples/journal-samples.ts'
import { settings } from '../../../fixtures/store/samples/ledger-samples.ts'
import { describeHistory } from '../port/history.contract.ts'
import { describeJournal } from '../port/journal.contract.ts'
import type { Store } from '../port/store.ts'
import { storeNotesContract } from '../port/store-notes.contract.ts'
import { openPostgresStore } from './postgres-store.ts'

let server: TestPostgres
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

describeJournal('postgres', async () => {
  const place = aPlace()
  return { open: async () => (await place.open()).journal, cleanUp: place.close }
})

describeHistory('postgres', async () => {
  const place = aPlace()
  const { history } = await place.open()
  return { history, cleanUp: place.close }
})

describe('notes in postgres', () => {
  let place = aPlace()
  beforeEach(() => {
    place = aPlace()
  })
  afterEach(() => place.close())
  storeNotesContract(async () => (await place.open()).notes)
})

describe('openPostgresStore', () => {
  it('fences a leader that slept while another one appended', async () => {
    const { open, close } = aPlace()
    const [{ journal: sleeper }, { journal: other }] = [await open(), await open()]
    const seen = await appendSome(sleeper, 3)
    await appendSome(other, 5, 'broker-b')

    const late = await sleeper.append(aBatch(seen, { writer: 'sleeper' }))

    expect(late).toEqual({ kind: 'fenced', by: 'broker-b' })
    await close()
  })

  it('tells what others append', async () => {
    const { open, close } = aPlace()
    const [{ journal: leader }, { journal: standby }] = [await open(), await open()]
    await appendSome(leader, 2)
    const stop = new AbortController()
    const told: number[] = []
    const following = (async () => {
      for await (const batch of standby.follow?.(1, stop.signal) ?? []) told.push(batch.index)
    })()

    await appendSome(leader, 2)

    await expect.poll(() => told).toEqual([1, 2, 3, 4])
    stop.abort()
    await following
    await close()
  })

  it('does not know while the server is away, and the same bytes settle it', async () => {
    const { open, close } = aPlace()
    const { journal } = await open()
    const batch = aBatch(await appendSome(journal, 2))
    await server.restart('immediate', async () => {
      expect(await journal.append(batch)).toMatchObject({ kind: 'unknown' })
    })

    await expect
      .poll(() => journal.append(batch), { timeout: 60_000, interval: 200 })
      .toEqual({ kind: 'committed' })
    expect((await journal.head()).index).toBe(3)
    await close()
  })
})

function aPlace() {
  const schema = `test_${randomUUID().replaceAll('-', '')}`
  const stores: Store[] = []
  return {
    async open() {
      const store = await openPostgresStore({ url: server.url, schema, settings })
      stores.push(store)
      return store
    },
    async close() {
      for (const store of stores.splice(0)) await store.close()
    },
  }
}
