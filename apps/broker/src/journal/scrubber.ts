import { type Chore, createChore } from './chore.ts'
import type { SqliteStore } from './sqlite-journal.ts'

const DAY_MS = 24 * 60 * 60 * 1_000

/**
 * Reads everything in the store once a day, so that damage is found before it is needed; and
 * at once if the store was too large to be read before the start. `trouble` names what it found.
 */
export function createScrubber({ scrub, checked }: Pick<SqliteStore, 'scrub' | 'checked'>): Chore {
  const chore = createChore({
    name: 'Checking the store',
    everyMs: DAY_MS,
    work: async () => {
      await scrub()
    },
  })
  if (checked === 'start') void chore.run()
  return chore
}
