import { Mark } from '../board.ts'
import type { Filter } from '../filter.ts'

/** What a silent cluster has free, nobody knows. */
export const fresh: Filter = {
  name: 'fresh',

  prepare({ marks }) {
    return (slot) => (((marks[slot] ?? 0) & Mark.stale) !== 0 ? 'Stale' : undefined)
  },
}
