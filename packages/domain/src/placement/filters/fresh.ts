import { Mark } from '../board.ts'
import { type Filter, markOf, PASSED } from '../filter.ts'

const STALE = markOf('Stale')

/** What a silent cluster has free, nobody knows. */
export const fresh: Filter = {
  name: 'fresh',

  refuse({ marks, count }, _request, verdicts) {
    for (let slot = 0; slot < count; slot += 1)
      if (verdicts[slot] === PASSED && ((marks[slot] ?? 0) & Mark.stale) !== 0)
        verdicts[slot] = STALE
  },
}
