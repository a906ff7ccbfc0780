import { type Chore, createChore } from '../../background/chore.ts'
import type { SqliteStore } from '../sqlite/sqlite-store.ts'

const DAY_MS = 24 * 60 * 60 * 1_000

type Scrubber = Chore & {
  /** The ledger is back: reads a store now that was too large to be read before the start. */
  begin(): void
}

/**
 * Reads everything in the store once a day, so that damage is found before it is needed. `trouble`
 * names what it found.
 */
export function createScrubber({
  scrub,
  checked,
}: Pick<SqliteStore, 'scrub' | 'checked'>): Scrubber {
  const chore = createChore({
    name: 'Checking the store',
    everyMs: DAY_MS,
    work: async () => {
      await scrub()
    },
  })
  return { ...chore, begin }

  function begin(): void {
    if (checked === 'start') void chore.run()
  }
}
