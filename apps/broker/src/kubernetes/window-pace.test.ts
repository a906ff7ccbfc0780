import { describe, expect, it } from 'vitest'
import type { Committed } from '../ledger/ledger-writer.ts'
import { createWindowPace } from './window-pace.ts'

const { signal } = new AbortController()

type Journal = Readonly<{ commitMs: number; everyMs?: number }>

/** A journal that writes for the first part of every so many milliseconds, beside windows. */
function beside({ commitMs, everyMs = 50 }: Journal) {
  const clock = { now: 0 }
  let commit: (committed: Committed) => void = () => {}
  let endsAt = commitMs > 0 ? commitMs : Number.POSITIVE_INFINITY
  const writer = {
    subscribe: (reader: typeof commit) => {
      commit = reader
      return () => {}
    },
    committingMs: () => Math.max(0, clock.now - (endsAt - commitMs)),
  }
  const pace = createWindowPace(writer, {
    monotonic: () => clock.now,
    async sleep(ms) {
      const until = clock.now + ms
      for (; endsAt <= until; endsAt += everyMs) {
        clock.now = endsAt
        commit({ index: 1, at: 0, events: [], tookMs: commitMs })
      }
      clock.now = until
    },
  })
  return { pace, clock }
}

type Span = Readonly<{ fromMs: number; toMs: number }>

/** How many windows pass between two moments, if all the time some want to. */
async function passing(journal: Journal, { fromMs, toMs }: Span): Promise<number> {
  const { pace, clock } = beside(journal)
  let writes = 0
  for (;;) {
    await pace.take(signal)
    if (clock.now >= toMs) return writes
    if (clock.now >= fromMs) writes++
  }
}

const idle = { commitMs: 0 }
const busy = { commitMs: 50 }
const tenSeconds = { fromMs: 10_000, toMs: 20_000 }

describe('the pace of the windows', () => {
  it('is five hundred writes a second while nothing is committed', async () => {
    expect((await passing(idle, tenSeconds)) / 10).toBeCloseTo(500, -2)
  })

  it('falls with the share of its time that the journal needs', async () => {
    const halfTheTime = (await passing({ commitMs: 25 }, tenSeconds)) / 10

    expect(halfTheTime).toBeGreaterThan(45)
    expect(halfTheTime).toBeLessThan(110)
  })

  it('is four a second when a commit is always under way', async () => {
    expect((await passing(busy, tenSeconds)) / 10).toBeCloseTo(4, 0)
  })

  it('falls within a moment when a load begins', async () => {
    // 500 unless it falls.
    expect(await passing(busy, { fromMs: 0, toMs: 1_000 })).toBeLessThan(60)
  })

  it('is four a second while one commit takes long', async () => {
    const stuck = { commitMs: 60_000, everyMs: 60_000 }

    expect((await passing(stuck, tenSeconds)) / 10).toBeCloseTo(4, 0)
  })
})

describe('the pace of events', () => {
  it('is that of a recorder while nothing is committed', () => {
    expect(beside(idle).pace.eventsPerSecond()).toBe(25)
  })

  it('is one a second when a commit is always under way', async () => {
    const { pace, clock } = beside(busy)

    while (clock.now < 1_000) await pace.take(signal)

    expect(pace.eventsPerSecond()).toBe(1)
  })
})
