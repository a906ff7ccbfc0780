import type { LedgerEvent } from '@bourse/domain/ledger'
import { expect, it } from 'vitest'
import {
  createMemoryBacking,
  createMemoryJournal,
} from '../../fixtures/store/memory/memory-journal.ts'
import { NO_HEAD, sealBatch } from '../store/codec/batch.ts'
import { type SealedBatch, writeSnapshot } from '../store/port/journal.ts'
import { recentBatches } from './recent-batches.ts'

const staled: LedgerEvent = { kind: 'staled', at: 0, clusterId: 'paris' }

async function aJournal(count: number, events = [staled]) {
  const backing = createMemoryBacking()
  const journal = createMemoryJournal(backing)
  let head = NO_HEAD
  for (let index = 1; index <= count; index += 1) {
    const batch = sealBatch({ index, at: 0, writer: 'a', previous: head.hash, events })
    await journal.append(batch)
    head = { index, hash: batch.hash }
  }
  const warnings: string[] = []
  const log = { warn: (_: object, text?: string) => void warnings.push(String(text)) }
  const indexes = async (through: number) =>
    (await recentBatches(through, { journal, log })).map(({ index }) => index)
  return { backing, journal, warnings, indexes }
}

it('reads the last batches up to where a broker begins', async () => {
  const { indexes } = await aJournal(5)

  expect(await indexes(4)).toEqual([1, 2, 3, 4])
  expect(await indexes(0)).toEqual([])
})

it('reads no more than 500', async () => {
  const { indexes } = await aJournal(600)

  expect((await indexes(600)).length).toBe(500)
})

it('keeps the last 8 MiB of them, however long they are', async () => {
  const { indexes } = await aJournal(20, [{ ...staled, clusterId: 'p'.repeat(1_000_000) }])

  expect(await indexes(20)).toEqual([13, 14, 15, 16, 17, 18, 19, 20])
})

it('has fewer where the journal was compacted', async () => {
  const { indexes, journal, backing } = await aJournal(5)
  await writeSnapshot(journal, { index: 3, hash: backing.batches.get(3)?.hash ?? '' }, ['{}'])
  await journal.compact(4)

  expect(await indexes(5)).toEqual([4, 5])
})

it('begins without them where one is damaged, and says so', async () => {
  const { indexes, backing, warnings } = await aJournal(5)
  const second = backing.batches.get(2)
  if (second) backing.batches.set(2, { ...second, text: `${second.text} ` })

  expect(await indexes(5)).toEqual([])
  expect(warnings).toEqual(['events of before the start cannot be read, and are not shown'])
})

it('never keeps a broker from starting', async () => {
  const journal = {
    // biome-ignore lint/correctness/useYield: it fails before the first batch.
    async *read(): AsyncGenerator<SealedBatch> {
      throw new Error('the disk is away')
    },
  }

  expect(await recentBatches(5, { journal, log: { warn() {} } })).toEqual([])
})
