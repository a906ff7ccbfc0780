import { expect, it, vi } from 'vitest'
import { DamagedJournal } from '../port/journal.ts'
import type { SqliteStore } from '../sqlite/sqlite-store.ts'
import { createScrubber } from './scrubber.ts'

const damaged = () => Promise.reject(new DamagedJournal('Chunk 3 of snapshot 1 is missing'))

it.each([
  {
    name: 'once the ledger is back when the start was too short for it',
    checked: 'start' as const,
    times: 1,
  },
  { name: 'not again when the start has done it', checked: 'whole' as const, times: 0 },
])('reads the whole store $name', async ({ checked, times }) => {
  const scrub = vi.fn<SqliteStore['scrub']>(damaged)

  const scrubber = createScrubber({ scrub, checked })
  expect(scrub).not.toHaveBeenCalled()
  scrubber.begin()
  await scrubber.stop()

  expect(scrub).toHaveBeenCalledTimes(times)
})

it('names the damage that it found', async () => {
  const scrubber = createScrubber({ scrub: damaged, checked: 'whole' })

  await scrubber.run()
  await scrubber.stop()

  expect(scrubber.trouble()).toBe('Checking the store failed: Chunk 3 of snapshot 1 is missing')
})
