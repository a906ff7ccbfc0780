import { afterEach, describe, expect, it } from 'vitest'
import {
  aBatch,
  appendSome,
  collect,
  takeSnapshot,
} from '../../../fixtures/store/samples/journal-samples.ts'
import { NO_HEAD, openBatch } from '../codec/batch.ts'
import { CompactedAway, type Head, type Journal } from './journal.ts'

/** A place for journals: each opened one sees what the others wrote, as brokers on one store do. */
export type JournalPlace = Readonly<{
  open(): Promise<Journal>
  cleanUp(): Promise<void>
}>

/** What every implementation of a journal must do. */
export function describeJournal(name: string, createPlace: () => Promise<JournalPlace>) {
  describe(`${name} as a journal`, () => {
    const places: JournalPlace[] = []
    afterEach(async () => {
      for (const place of places.splice(0)) await place.cleanUp()
    })
    const newPlace = async () => {
      const place = await createPlace()
      places.push(place)
      return place
    }
    const newJournal = async () => (await newPlace()).open()

    describeAppends(newJournal)
    describeReading(newPlace)
    describeSnapshots(newPlace)
  })
}

function describeAppends(newJournal: () => Promise<Journal>) {
  it('begins with nothing', async () => {
    const journal = await newJournal()

    expect(await journal.head()).toEqual(NO_HEAD)
    expect(await collect(journal.read(1))).toEqual([])
    expect(await journal.latestSnapshot()).toBeUndefined()
  })

  it('gives back what was appended, byte for byte', async () => {
    const journal = await newJournal()
    const first = aBatch(NO_HEAD)
    const second = aBatch(first, { writer: 'broker-b', at: 2_000 })

    expect(await journal.append(first)).toEqual({ kind: 'committed' })
    expect(await journal.append(second)).toEqual({ kind: 'committed' })

    const read = await collect(journal.read(1))
    expect(read.map((batch) => batch.text)).toEqual([first.text, second.text])
    expect(openBatch(read[1] ?? first, first)).toMatchObject({ writer: 'broker-b', at: 2_000 })
    expect(await journal.head()).toEqual({ index: 2, hash: second.hash })
  })

  it('takes an identical batch again as the same one', async () => {
    const journal = await newJournal()
    const batch = aBatch(NO_HEAD)
    await journal.append(batch)

    expect(await journal.append(batch)).toEqual({ kind: 'committed' })

    expect(await collect(journal.read(1))).toHaveLength(1)
  })

  it.each([
    { name: 'an index that is taken', before: NO_HEAD },
    { name: 'an index after a hole', before: { index: 7, hash: 'elsewhere' } },
    { name: 'the right index after another batch', before: { index: 1, hash: 'elsewhere' } },
  ])('fences $name', async ({ before }) => {
    const journal = await newJournal()
    const first = aBatch(NO_HEAD, { writer: 'broker-a' })
    await journal.append(first)

    const appended = await journal.append(aBatch(before, { writer: 'broker-b' }))

    expect(appended).toEqual({ kind: 'fenced', by: 'broker-a' })
    expect(await journal.head()).toEqual({ index: 1, hash: first.hash })
  })

  it('lets one of two writers win an index', async () => {
    const journal = await newJournal()
    const contenders = ['broker-a', 'broker-b'].map((writer) => aBatch(NO_HEAD, { writer }))

    const answers = await Promise.all(contenders.map((batch) => journal.append(batch)))

    expect(answers.map(({ kind }) => kind).toSorted()).toEqual(['committed', 'fenced'])
  })

  it('fences a writer that slept while others appended, snapshotted and compacted', async () => {
    const journal = await newJournal()
    const seenBySleeper = await appendSome(journal, 3)
    const head = await appendSome(journal, 20, 'broker-b')
    await takeSnapshot(journal, head, ['state'])
    await journal.compact(head.index + 1)

    const late = await journal.append(aBatch(seenBySleeper, { writer: 'broker-a' }))

    expect(late).toEqual({ kind: 'fenced', by: 'broker-b' })
    expect(await journal.head()).toEqual(head)
  })
}

function describeReading(newPlace: () => Promise<JournalPlace>) {
  it('reads from an index on', async () => {
    const journal = await (await newPlace()).open()
    await appendSome(journal, 700)

    const read = await collect(journal.read(650))

    expect(read.map(({ index }) => index)).toEqual(Array.from({ length: 51 }, (_, n) => 650 + n))
  })

  it('refuses to read what was compacted away, rather than to skip it', async () => {
    const journal = await (await newPlace()).open()
    const head = await appendSome(journal, 5)
    await takeSnapshot(journal, head, ['state'])
    await journal.compact(6)

    await expect(collect(journal.read(2))).rejects.toThrow(CompactedAway)
    expect(await collect(journal.read(6))).toEqual([])
  })

  it('finds everything again when it is opened anew', async () => {
    const place = await newPlace()
    const before = await place.open()
    const head = await appendSome(before, 10)
    await takeSnapshot(before, head, ['one', 'two'])
    await appendSome(before, 2)
    await before.close()

    const after = await place.open()

    expect((await after.head()).index).toBe(12)
    expect(await chunksOf(after)).toEqual(['one', 'two'])
    expect(await collect(after.read(1))).toHaveLength(12)
  })

  it('is closed twice without harm', async () => {
    const journal = await (await newPlace()).open()
    await journal.close()

    await expect(journal.close()).resolves.toBeUndefined()
  })
}

function describeSnapshots(newPlace: () => Promise<JournalPlace>) {
  it('shows a snapshot only once it is finished', async () => {
    const journal = await (await newPlace()).open()
    const head = await appendSome(journal, 3)
    const sink = await journal.beginSnapshot(head)
    await sink.write('half')

    expect(await journal.latestSnapshot()).toBeUndefined()

    await sink.finish()
    expect(await chunksOf(journal)).toEqual(['half'])
  })

  it('forgets an abandoned snapshot', async () => {
    const journal = await (await newPlace()).open()
    const sink = await journal.beginSnapshot(await appendSome(journal, 1))
    await sink.write('half')

    await sink.abandon()

    expect(await journal.latestSnapshot()).toBeUndefined()
  })

  it('never shows a snapshot that was being written when the broker died', async () => {
    const place = await newPlace()
    const before = await place.open()
    const sink = await before.beginSnapshot(await appendSome(before, 1))
    await sink.write('half')
    await before.close()

    const after = await place.open()

    expect(await after.latestSnapshot()).toBeUndefined()
  })

  it('appends while a snapshot is being written', async () => {
    const journal = await (await newPlace()).open()
    const head = await appendSome(journal, 2)
    const sink = await journal.beginSnapshot(head)
    await sink.write('one')
    await appendSome(journal, 2)
    await sink.write('two')
    await sink.finish()

    expect((await journal.latestSnapshot())?.head).toEqual(head)
    expect((await journal.head()).index).toBe(4)
  })

  it('finds the newest snapshot, or the newest at or before an index', async () => {
    const { journal, heads } = await journalWithSnapshots(await newPlace(), [10, 20, 30])

    expect((await journal.latestSnapshot())?.head).toEqual(heads[2])
    expect((await journal.latestSnapshot(29))?.head).toEqual(heads[1])
    expect((await journal.latestSnapshot(10))?.head).toEqual(heads[0])
    expect(await journal.latestSnapshot(9)).toBeUndefined()
  })

  it('keeps, when it compacts, what the oldest wanted batch is replayed from', async () => {
    const { journal, heads } = await journalWithSnapshots(await newPlace(), [10, 20, 30])

    await journal.compact(25)

    expect((await journal.latestSnapshot(24))?.head).toEqual(heads[1])
    expect((await journal.latestSnapshot())?.head).toEqual(heads[2])
    expect(await journal.latestSnapshot(19)).toBeUndefined()
    expect((await collect(journal.read(21)))[0]?.index).toBe(21)
    await expect(collect(journal.read(20))).rejects.toThrow(CompactedAway)
  })

  it('keeps the snapshots it is told to, and drops the others', async () => {
    const { journal, heads } = await journalWithSnapshots(await newPlace(), [10, 20, 30, 40])

    await journal.compact(11, [30])

    expect((await journal.latestSnapshot())?.head).toEqual(heads[3])
    expect((await journal.latestSnapshot(39))?.head).toEqual(heads[2])
    expect((await journal.latestSnapshot(29))?.head).toEqual(heads[0])
  })

  it('keeps its oldest snapshot as long as older batches are gone', async () => {
    const { journal, heads } = await journalWithSnapshots(await newPlace(), [10, 20, 30])
    await journal.compact(15)

    await journal.compact(5)

    expect((await journal.latestSnapshot(29))?.head).toEqual(heads[0])
    expect((await collect(journal.read(11))).length).toBe(20)
  })

  it('compacts nothing that no snapshot covers', async () => {
    const { journal } = await journalWithSnapshots(await newPlace(), [10])

    await journal.compact(5)

    expect((await collect(journal.read(1))).length).toBe(10)
  })

  it('goes on from a snapshot that was imported into an empty journal', async () => {
    const place = await newPlace()
    const journal = await place.open()
    const head: Head = { index: 500, hash: 'f'.repeat(64) }
    await takeSnapshot(journal, head, ['state'])

    const appended = await journal.append(aBatch(head))

    expect(appended).toEqual({ kind: 'committed' })
    await journal.close()
    expect((await (await place.open()).head()).index).toBe(501)
  })
}

async function chunksOf(journal: Journal): Promise<string[]> {
  const snapshot = await journal.latestSnapshot()
  return snapshot ? collect(snapshot.chunks()) : []
}

async function journalWithSnapshots(place: JournalPlace, indexes: readonly number[]) {
  const journal = await place.open()
  const heads: Head[] = []
  for (const index of indexes) {
    const head = await appendSome(journal, index - (await journal.head()).index)
    await takeSnapshot(journal, head, [`state after ${index}`])
    heads.push(head)
  }
  return { journal, heads }
}
