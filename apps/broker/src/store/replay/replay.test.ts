import { setTimeout } from 'node:timers/promises'
import type { LedgerEvent } from '@bourse/domain/ledger'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createMemoryJournal } from '../../../fixtures/store/memory/memory-journal.ts'
import { aLedger, replayed } from '../../../fixtures/store/samples/ledger-samples.ts'
import { createSnapshotter } from '../snapshots/snapshotter.ts'

const staled: LedgerEvent = { kind: 'staled', at: 0, clusterId: 'paris' }

describe('a replay', () => {
  it('rebuilds memory from the journal alone', async () => {
    const journal = createMemoryJournal()
    const before = aLedger(journal)
    await before.found()
    await before.advertise('paris', 10_000n)
    await before.reserve(3_000n)

    const after = await replayed(journal)

    // Who was heard of is soft: an event notes it once a minute.
    expect(after.ledger.capture()).toEqual({ ...before.ledger.capture(), requesters: [] })
    expect(after).toMatchObject({ head: before.head(), lastAt: 1_002, batches: 3, parts: 0 })
  })

  it('rebuilds memory from a snapshot and what came after it', async () => {
    const journal = createMemoryJournal()
    const before = aLedger(journal)
    await before.found()
    await before.advertise('paris', 10_000n)
    await before.reserve(3_000n)
    const trouble = await before.snapshot()
    await before.reserve(2_000n)

    const after = await replayed(journal)

    expect(trouble).toBeUndefined()
    expect(after.ledger.capture()).toEqual(before.ledger.capture())
    expect(after).toMatchObject({ head: before.head(), batches: 1, parts: 4 })
  })
})

describe('a snapshot', () => {
  it('is taken when enough has happened, and lets old batches go', async () => {
    const journal = createMemoryJournal()
    const before = aLedger(journal)
    await before.found()
    await before.advertise('paris', 10_000n)
    await before.snapshot()

    await expect(journal.read(1)[Symbol.asyncIterator]().next()).rejects.toThrow('is gone')
  })

  it('is due for what the start had to replay, together with what came since', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const journal = createMemoryJournal()
    const before = aLedger(journal)
    await before.found()
    const snapshotter = createSnapshotter({
      journal,
      capture: async () => ({ image: before.ledger.capture(), head: before.head() }),
      beforeFinish: async () => {},
      now: () => 0,
      historyMs: 0,
      everyEvents: 3,
      replayedEvents: 2,
    })

    snapshotter.take({ index: 2, at: 0, events: [staled] })
    vi.advanceTimersByTime(1_000)

    await expect.poll(() => journal.latestSnapshot()).toBeDefined()
    await snapshotter.stop()
  })

  it('is not taken again for what came while it was written', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const journal = createMemoryJournal()
    const before = aLedger(journal)
    await before.found()
    let begun = 0
    const snapshotter = createSnapshotter({
      journal: {
        ...journal,
        beginSnapshot: (head) => {
          begun += 1
          return journal.beginSnapshot(head)
        },
      },
      capture: async () => ({ image: before.ledger.capture(), head: before.head() }),
      beforeFinish: async () => snapshotter.take({ index: 2, at: 0, events: [staled] }),
      now: () => 0,
      historyMs: 0,
      everyEvents: 2,
    })
    snapshotter.take({ index: 1, at: 0, events: [staled, staled] })

    vi.advanceTimersByTime(1_000)
    await expect.poll(() => journal.latestSnapshot()).toBeDefined()
    await setTimeout(10) // until it has tidied up as well
    vi.advanceTimersByTime(1_000)
    await snapshotter.stop()

    expect(begun).toBe(1)
  })

  it('is tried again where room has run out, though nothing can be committed any more', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const journal = createMemoryJournal()
    const before = aLedger(journal)
    await before.found()
    let isAway = true
    const snapshotter = createSnapshotter({
      journal: {
        ...journal,
        room: () => ({ left: 2, of: 32 }),
        beginSnapshot: (head) =>
          isAway ? Promise.reject(new Error('the line was cut')) : journal.beginSnapshot(head),
      },
      capture: async () => ({ image: before.ledger.capture(), head: before.head() }),
      beforeFinish: async () => {},
      now: () => 0,
      historyMs: 0,
    })
    snapshotter.take({ index: 1, at: 0, events: [staled] })
    await expect.poll(() => snapshotter.trouble()).toMatch('the line was cut')

    isAway = false
    vi.advanceTimersByTime(1_000)

    await expect.poll(() => journal.latestSnapshot()).toBeDefined()
    await snapshotter.stop()
  })

  it('is finished only when the history has everything', async () => {
    const journal = createMemoryJournal()
    const before = aLedger(journal)
    await before.found()
    const snapshotter = createSnapshotter({
      journal,
      capture: async () => ({ image: before.ledger.capture(), head: before.head() }),
      beforeFinish: () => Promise.reject(new Error('the disk is full')),
      now: () => 0,
      historyMs: 0,
    })

    await snapshotter.run()
    await snapshotter.stop()

    expect(await journal.latestSnapshot()).toBeUndefined()
    expect(snapshotter.trouble()).toBe('Taking a snapshot failed: the disk is full')
  })
})
