import { Mark } from '../board.ts'
import type { Filter } from '../filter.ts'

/** Cordoned and withdrawn clusters take nothing new. */
export const accepting: Filter = {
  name: 'accepting',

  prepare({ marks }) {
    return (slot) => {
      const mark = marks[slot] ?? 0
      if ((mark & Mark.withdrawn) !== 0) return 'Withdrawn'
      return (mark & Mark.cordoned) !== 0 ? 'Cordoned' : undefined
    }
  },
}
