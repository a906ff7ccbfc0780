import { createChore } from '../../background/chore.ts'
import type { SqliteStore } from '../sqlite/sqlite-store.ts'

const DAY_MS = 24 * 60 * 60 * 1_000

/**
 * Reads everything in the store once a day, so that damage is found before it is needed. `trouble`
 * names what it found.
 */
export function createScrubber(store: Pick<SqliteStore, 'scrub' | 'checked'>) {
  const work = async () => void (await store.scrub())
  const chore = createChore({ name: 'Checking the store', everyMs: DAY_MS, work })
  return {
    ...chore,
    /** The ledger is back: reads a store now that was too large to be read before the start. */
    begin: () => {
      if (store.checked === 'start') void chore.run()
    },
  }
}
