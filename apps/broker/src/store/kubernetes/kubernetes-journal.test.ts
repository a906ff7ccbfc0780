import { beforeEach, describe, expect, it } from 'vitest'
import {
  createFakeObjects,
  type Fault,
  refusal,
} from '../../../fixtures/store/kubernetes/objects.ts'
import {
  aBatch,
  appendSome,
  collect,
  staled,
  takeSnapshot,
} from '../../../fixtures/store/samples/journal-samples.ts'
import { NO_HEAD } from '../codec/batch.ts'
import { describeJournal } from '../port/journal.contract.ts'
import type { Head, Journal } from '../port/journal.ts'
import { storeNotesContract } from '../port/store-notes.contract.ts'
import { journalSlotKind, snapshotChunkKind } from './kinds.ts'
import { openKubernetesJournal } from './kubernetes-journal.ts'
import { createKubernetesNotes } from './kubernetes-store.ts'

describeJournal('kubernetes, on a scripted API server,', async () => {
  const objects = createFakeObjects()
  return {
    open: () => openKubernetesJournal({ objects, namespace: 'bourse' }),
    cleanUp: async () => {},
  }
})

describe('notes on a scripted API server', () => {
  let objects = createFakeObjects()
  beforeEach(() => {
    objects = createFakeObjects()
  })
  storeNotesContract(async () => createKubernetesNotes({ objects, namespace: 'bourse' }))
})

describe('openKubernetesJournal', () => {
  it('fences a leader that slept for a whole round of the ring', async () => {
    const { open } = aPlace()
    const sleeper = await open()
    const seen = await appendSome(sleeper, 6)
    const other = await open()
    await appendRounds(other, 3)

    const late = await sleeper.append(aBatch(seen, { writer: 'sleeper' }))

    expect(late).toEqual({ kind: 'fenced', by: 'broker-b' })
    expect((await other.head()).index).toBe(6 + 3 * 4)
  })

  it('fences a leader that slept before the first round was full', async () => {
    const { open } = aPlace()
    const sleeper = await open()
    const seen = await appendSome(sleeper, 2)
    const other = await open()
    await appendRounds(other, 1)

    const late = await sleeper.append(aBatch(seen, { writer: 'sleeper' }))

    expect(late).toEqual({ kind: 'fenced', by: 'broker-b' })
  })

  it('overwrites no batch that no snapshot covers', async () => {
    const { open } = aPlace()
    const journal = await open()
    const head = await appendSome(journal, 8)

    const appended = await journal.append(aBatch(head))

    expect(appended).toMatchObject({ kind: 'unknown' })
    expect(journal.room()).toEqual({ left: 0, of: 8 })
    expect(await collect(journal.read(1))).toHaveLength(8)
  })

  it('goes on when a snapshot covers the oldest slot, with no more objects than before', async () => {
    const { open, objects } = aPlace()
    const journal = await open()

    await appendRounds(journal, 10)

    expect((await journal.head()).index).toBe(40)
    expect(objects.all(journalSlotKind)).toHaveLength(8)
    expect(objects.all(snapshotChunkKind).length).toBeLessThanOrEqual(8 * 2 + 1)
    expect((await (await open()).head()).index).toBe(40)
  })

  it('keeps the number of slots that it was begun with', async () => {
    const { open, objects } = aPlace()
    await appendSome(await open(), 3)

    const other = await openKubernetesJournal({ objects, namespace: 'bourse', slots: 100 })

    expect(other.room()).toEqual({ left: 5, of: 8 })
  })

  it.each([
    { name: 'a time-out before the write', isDone: false, error: refusal(504, 'Timeout') },
    { name: 'a time-out after the write', isDone: true, error: refusal(504, 'Timeout') },
    { name: 'too many requests', isDone: false, error: refusal(429, 'TooManyRequests') },
    { name: 'a server that is going down', isDone: true, error: refusal(500, 'InternalError') },
    { name: 'a lost right', isDone: false, error: refusal(403, 'Forbidden') },
  ])('does not know after $name, and the same bytes settle it', async (fault) => {
    const { open, objects } = aPlace()
    const journal = await open()
    const batch = aBatch(await appendSome(journal, 3))
    objects.onWrite = once(fault)

    expect(await journal.append(batch)).toEqual({ kind: 'unknown', cause: fault.error })
    expect(await journal.append(batch)).toEqual({ kind: 'committed' })

    expect(await collect(journal.read(4))).toMatchObject([{ text: batch.text }])
  })

  it('settles a lost answer also when it replaced a slot', async () => {
    const { open, objects } = aPlace()
    const journal = await open()
    await appendRounds(journal, 3)
    const batch = aBatch(await journal.head())
    objects.onWrite = once({ isDone: true, error: refusal(504, 'Timeout') })

    await journal.append(batch)

    expect(await journal.append(batch)).toEqual({ kind: 'committed' })
  })

  it('still writes to a slot after a user has labelled it', async () => {
    const { open, objects } = aPlace()
    const journal = await open()
    const batch = aBatch(await appendRounds(journal, 2))
    for (const slot of objects.all(journalSlotKind)) await objects.replace(journalSlotKind, slot)

    expect(await journal.append(batch)).toEqual({ kind: 'committed' })
  })

  it('gives up for now when each attempt meets a slot that was just labelled', async () => {
    const { open, objects } = aPlace()
    const journal = await open()
    const batch = aBatch(await appendRounds(journal, 2))
    let labels = 0
    objects.onWrite = function label() {
      objects.onWrite = undefined
      for (const slot of objects.all(journalSlotKind)) void objects.replace(journalSlotKind, slot)
      objects.onWrite = label
      labels++
      return undefined
    }

    expect(await journal.append(batch)).toMatchObject({ kind: 'unknown' })
    expect(labels).toBeLessThan(20)
    objects.onWrite = undefined
    expect(await journal.append(batch)).toEqual({ kind: 'committed' })
  })

  it('cannot write into a snapshot that another broker finished meanwhile', async () => {
    const { open } = aPlace()
    const [sleeper, other] = [await open(), await open()]
    const head = await appendSome(sleeper, 3)
    const ours = await sleeper.beginSnapshot(head)
    await ours.write('ours')
    await takeSnapshot(other, head, ['theirs', 'also theirs'])

    await expect(ours.write('ours')).rejects.toThrow('AlreadyExists')
    await expect(ours.finish()).rejects.toThrow('Conflict')
    expect(await chunksOf(await open())).toEqual(['theirs', 'also theirs'])
  })

  it('blanks what a longer snapshot leaves behind', async () => {
    const { open, objects } = aPlace()
    const journal = await open()
    const long = Array.from({ length: 5 }, (_, nth) => `part ${nth}`)
    await takeSnapshot(journal, await appendSome(journal, 1), long)
    await takeSnapshot(journal, await appendSome(journal, 1), ['short'])
    await journal.compact(3)
    await takeSnapshot(journal, await appendSome(journal, 1), ['short'])

    const texts = objects.all(snapshotChunkKind).map(({ spec }) => (spec as { text: string }).text)

    expect(texts.filter((text) => text.startsWith('part'))).toEqual([])
    expect(await chunksOf(journal)).toEqual(['short'])
  })

  it('stays below the size that etcd takes, also with a large batch', async () => {
    const { open, objects } = aPlace()
    const journal = await open()
    const names = Array.from({ length: 20_000 }, (_, nth) => staled(`cluster-${nth * 7_919}`))

    const batch = aBatch(NO_HEAD, { events: names })
    await journal.append(batch)

    expect(objects.bytesMax).toBeLessThan(1_400_000)
    expect(await collect(journal.read(1))).toMatchObject([{ hash: batch.hash, text: batch.text }])
  })

  it('tells what others append, in order, and what it had missed', async () => {
    const { open, objects } = aPlace()
    const [leader, standby] = [await open(), await open()]
    await appendSome(leader, 3)
    const signal = new AbortController()
    const told: number[] = []
    const following = (async () => {
      for await (const batch of standby.follow(2, signal.signal)) told.push(batch.index)
    })()

    await appendSome(leader, 3)
    await expect.poll(() => told).toEqual([2, 3, 4, 5, 6])
    objects.cutWatches()
    await following

    const batch = aBatch(await standby.head())
    expect(await standby.append(batch)).toEqual({ kind: 'committed' })
  })
})

const SLOTS = 8

function aPlace() {
  const objects = createFakeObjects()
  const open = () => openKubernetesJournal({ objects, namespace: 'bourse', slots: SLOTS })
  return { objects, open }
}

/** Half a ring at a time, with a snapshot after each, as a broker does. */
async function appendRounds(journal: Journal, rounds: number): Promise<Head> {
  let head = await journal.head()
  for (let round = 0; round < rounds; round++) {
    head = await appendSome(journal, SLOTS / 2, 'broker-b')
    await takeSnapshot(journal, head, [`state after ${head.index}`])
    await journal.compact(head.index + 1)
  }
  return head
}

function once(fault: Fault) {
  let left = 1
  return () => (left-- > 0 ? fault : undefined)
}

async function chunksOf(journal: Journal): Promise<string[]> {
  const snapshot = await journal.latestSnapshot()
  return snapshot ? collect(snapshot.chunks()) : []
}
