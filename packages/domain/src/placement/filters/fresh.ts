import { Mark } from '../board.ts'
import { type Filter, markOf, PASSED } from '../filter.ts'

const STALE = markOf('Stale')

/** What a silent cluster has free, nobody knows. */
export const fresh: Filter = {
  name: 'fresh',

  refuse({ marks, markedCount, count }, _request, verdicts) {
    if (markedCount === 0) return
    for (let slot = 0; slot < count; slot += 1) {
      const mark = marks[slot] ?? 0
      if (mark === 0 || verdicts[slot] !== PASSED) continue
      if ((mark & Mark.stale) !== 0) verdicts[slot] = STALE
    }
  },
}
