import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createFakeObjects } from '../../../fixtures/store/kubernetes/objects.ts'
import { aLedger, settings } from '../../../fixtures/store/samples/ledger-samples.ts'
import type { Journal } from '../port/journal.ts'
import { createExplainer } from '../replay/explainer.ts'
import { openSqliteStore } from '../sqlite/sqlite-store.ts'
import { openReading } from '../sqlite/store-reading.ts'
import { type Archive, createArchive, type Limits } from './archive.ts'
import { openKubernetesJournal } from './kubernetes-journal.ts'
import { openKubernetesStore } from './kubernetes-store.ts'

const SLOTS = 8
/** The batches of `aMarket`. */
const MARKET = 3
const MANY = 1_000_000
const namespace = 'default'

type Decided = Awaited<ReturnType<ReturnType<typeof aLedger>['reserve']>>
type Explain = ReturnType<typeof createExplainer>['explainAt']

it('explains what has left the ring, on the leader and on a standby that followed', {
  timeout: 60_000,
}, async () => {
  const { objects, dir } = aPlace()
  const leader = await openStore('leader')
  const ledger = await aMarket(leader.journal)
  const standby = await openStore('standby')
  const following = new AbortController()
  const followed = followTo(standby.journal, MARKET + 1 + 2 * SLOTS, following)

  const first = await ledger.reserve(1n)
  await turnTheRing(ledger)
  await followed
  const later = await openStore('later')

  expect(await verdicts(leader.explainAt, first)).toEqual(['paris chosen', 'oslo candidate'])
  await expect
    .poll(() => verdicts(standby.explainAt, first))
    .toEqual(['paris chosen', 'oslo candidate'])
  expect(await verdicts(later.explainAt, first)).toBeUndefined()

  async function openStore(name: string) {
    const options = { objects, namespace, slots: SLOTS, dataDir: join(dir, name), settings, crash }
    const store = await openKubernetesStore(options)
    onTestFinished(store.close)
    return store
  }
})

it('keeps the last steps only, however long it runs', async () => {
  const { archive, ring, dataDir, explainAt } = await anArchive({ step: 2_000, steps: 2 })
  const ledger = await aMarket(taking(ring, archive))
  const first = await ledger.reserve(1n)

  for (let round = 0; round < 4; round++) await turnTheRing(ledger, archive.settled)
  const last = await ledger.reserve(1n)
  await archive.settled()

  expect(await verdicts(explainAt, first)).toBeUndefined()
  expect(await verdicts(explainAt, last)).toEqual(['paris chosen', 'oslo candidate'])
  expect(storedIn(dataDir).characters).toBeLessThan(4 * 2_000)
})

it('reads from the ring what the disk was too slow for', async () => {
  const { archive, ring, copy, dataDir } = await anArchive({ waiting: 0 })
  const ledger = await aMarket(taking(ring, archive))

  await ledger.reserve(1n)
  await Promise.all([ledger.reserve(1n), archive.settled()])
  await ledger.reserve(1n)
  await archive.settled()

  expect((await copy.head()).index).toBe(ledger.head().index)
  expect(storedIn(dataDir).count).toBe(ledger.head().index)
})

it('ends at a hole that the ring has overwritten, and still explains what was before', async () => {
  const { archive, ring, copy, explainAt } = await anArchive({})
  let isAway = false
  const ledger = await aMarket(
    taking(ring, { ...archive, take: (batch) => isAway || archive.take(batch) }),
  )
  const first = await ledger.reserve(1n)
  await archive.settled()
  const before = ledger.head().index

  isAway = true
  await turnTheRing(ledger)
  await turnTheRing(ledger)
  isAway = false
  await ledger.reserve(1n)
  await archive.settled()

  expect((await copy.head()).index).toBe(before)
  expect(await verdicts(explainAt, first)).toEqual(['paris chosen', 'oslo candidate'])
})

function aPlace() {
  const dir = mkdtempSync(join(tmpdir(), 'bourse-archive-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return { dir, objects: createFakeObjects() }
}

async function anArchive(limits: Partial<Limits>) {
  const { dir, objects } = aPlace()
  const dataDir = join(dir, 'copy')
  const { journal: copy, close } = await openSqliteStore({ dataDir, isCache: true, crash })
  onTestFinished(close)
  const ring = await openKubernetesJournal({ objects, namespace, slots: SLOTS })
  const all = { step: MANY, steps: 8, waiting: MANY, ...limits }
  const archive = createArchive({ ring, copy, limits: all })
  return { archive, ring, copy, dataDir, ...createExplainer({ dataDir, settings }) }
}

/** What is appended goes to the archive, too. */
function taking(ring: Journal, { take }: Pick<Archive, 'take'>): Journal {
  return {
    ...ring,
    async append(batch) {
      const appended = await ring.append(batch)
      take(batch)
      return appended
    },
  }
}

async function aMarket(journal: Journal) {
  const ledger = aLedger(journal)
  await ledger.found()
  await ledger.advertise('paris', 10_000n)
  await ledger.advertise('oslo', 5_000n)
  return ledger
}

/** Twice as many batches as the ring has slots, with the snapshots that this takes. */
async function turnTheRing(
  { reserve, snapshot }: ReturnType<typeof aLedger>,
  settled = async () => {},
): Promise<void> {
  for (let batch = 0; batch < 2 * SLOTS; batch++) {
    if (batch % 4 === 0) await snapshot()
    await reserve(1n)
    await settled()
  }
}

async function followTo(journal: Journal, index: number, until: AbortController): Promise<void> {
  for await (const batch of journal.follow?.(1, until.signal) ?? [])
    if (batch.index >= index) until.abort()
}

async function verdicts(explainAt: Explain, { id, wanted, decidedIndex }: Decided) {
  const ranking = await explainAt({
    reservationId: id,
    index: decidedIndex,
    at: 1_000,
    request: { requester: 'rome', wanted },
    decision: { policy: '', best: [], refused: {} },
  })
  return ranking?.rows.map(({ clusterId, verdict }) => `${clusterId} ${verdict}`)
}

/** What can be read of it, from its oldest batch on. */
function storedIn(dataDir: string) {
  const reading = openReading(dataDir)
  const batches = [...reading.batches(reading.state.floor.index + 1)]
  reading.close()
  return {
    count: batches.length,
    characters: batches.reduce((sum, one) => sum + one.text.length, 0),
  }
}

function crash(cause: Error): never {
  throw cause
}
