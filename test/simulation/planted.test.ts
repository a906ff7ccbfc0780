import { describe, expect, it } from 'vitest'
import { plantedBugs, simulateWith } from './planted.ts'

/** `make planted` tries every one. */
const isAll = process.env.PLANTED === 'all'
const SAMPLE = ['renewed-and-active', 'no-end-of-a-drain-after-a-restart']
/** A minute of a quiet machine. A busy one takes longer, and finds the same. */
const STORIES = 800

describe('a bug that is planted into the domain', () => {
  it('there are at least ten', () => {
    expect(plantedBugs().length).toBeGreaterThanOrEqual(10)
  })

  it.each(isAll ? plantedBugs() : SAMPLE)(
    'is found within a minute: %s',
    { timeout: 30 * 60_000 },
    async (bug) => {
      const found = await simulateWith(bug, STORIES)

      if (isAll) console.log(found)
      expect(found).toMatch(/^Story \d+ fails at step \d+/m)
      expect(found).toMatch(/^Broken: /m)
    },
  )
})
