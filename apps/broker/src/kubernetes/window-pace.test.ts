import { describe, expect, it } from 'vitest'
import type { Committed } from '../ledger/ledger-writer.ts'
import { createWindowPace } from './window-pace.ts'

const { signal } = new AbortController()

/** A journal that writes for a part of each twentieth of a second, beside windows. */
function beside(commitMs: number) {
  const clock = { now: 0 }
  let commit: (committed: Committed) => void = () => {}
  let nextCommitAt = 50
  const subscribe = (reader: typeof commit) => {
    commit = reader
    return () => {}
  }
  const pace = createWindowPace(
    { subscribe },
    {
      monotonic: () => clock.now,
      async sleep(ms) {
        clock.now += ms
        for (; nextCommitAt <= clock.now; nextCommitAt += 50)
          commit({ index: 1, at: 0, events: [], tookMs: commitMs })
      },
    },
  )
  return { pace, clock }
}

type Span = Readonly<{ fromMs: number; toMs: number }>

/** How many windows pass between two moments, if all the time some want to. */
async function passing(commitMs: number, { fromMs, toMs }: Span): Promise<number> {
  const { pace, clock } = beside(commitMs)
  let writes = 0
  for (;;) {
    await pace.take(signal)
    if (clock.now >= toMs) return writes
    if (clock.now >= fromMs) writes++
  }
}

const tenSeconds = { fromMs: 10_000, toMs: 20_000 }

describe('the pace of the windows', () => {
  it('is five hundred writes a second while nothing is committed', async () => {
    expect((await passing(0, tenSeconds)) / 10).toBeCloseTo(500, -2)
  })

  it('falls with the share of its time that the journal needs', async () => {
    const halfTheTime = (await passing(25, tenSeconds)) / 10

    expect(halfTheTime).toBeGreaterThan(45)
    expect(halfTheTime).toBeLessThan(110)
  })

  it('is four a second when a commit is always under way', async () => {
    expect((await passing(50, tenSeconds)) / 10).toBeCloseTo(4, 0)
  })

  it('falls within a moment when a load begins', async () => {
    // 25 in the first twentieth of a second, before anything is committed; 500 unless it falls.
    expect(await passing(50, { fromMs: 0, toMs: 1_000 })).toBeLessThan(80)
  })
})

describe('the pace of events', () => {
  it('is that of a recorder while nothing is committed', () => {
    expect(beside(0).pace.eventsPerSecond()).toBe(25)
  })

  it('is one a second when a commit is always under way', async () => {
    const { pace, clock } = beside(50)

    while (clock.now < 1_000) await pace.take(signal)

    expect(pace.eventsPerSecond()).toBe(1)
  })
})
