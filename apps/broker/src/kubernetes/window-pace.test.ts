import { describe, expect, it } from 'vitest'
import type { Committed } from '../ledger/ledger-writer.ts'
import { createWindowPace } from './window-pace.ts'

const { signal } = new AbortController()

/** A journal that writes for a part of each tenth of a second, and how many windows it lets by. */
async function writesBeside(commitMs: number): Promise<number> {
  const clock = { now: 0 }
  let commit: (committed: Committed) => void = () => {}
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
      },
    },
  )
  let nextCommitAt = 0
  let writes = 0
  while (clock.now < 20_000) {
    for (; nextCommitAt <= clock.now; nextCommitAt += 100)
      commit({ index: 1, at: 0, events: [], tookMs: commitMs })
    await pace.take(signal)
    // It needs a moment to see how busy the journal is.
    if (clock.now > 10_000) writes++
  }
  return writes / 10
}

describe('the pace of the windows', () => {
  it('is five hundred writes a second while nothing is committed', async () => {
    expect(await writesBeside(0)).toBeCloseTo(500, -2)
  })

  it('falls with the share of its time that the journal needs', async () => {
    const halfTheTime = await writesBeside(50)

    expect(halfTheTime).toBeGreaterThan(45)
    expect(halfTheTime).toBeLessThan(110)
  })

  it('is twenty a second when a commit is always under way', async () => {
    expect(await writesBeside(100)).toBeCloseTo(20, -1)
  })
})
