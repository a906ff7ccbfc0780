import { Mark } from '../board/board.ts'
import { verdictOf } from '../board/verdicts.ts'
import type { Filter } from './filter.ts'

const STALE = verdictOf('Stale')

/** What a silent cluster has free is unknown. */
export const fresh: Filter<never> = {
  name: 'fresh',
  needs: [],

  refuse({ marks, markedCount, count }, _request, verdicts) {
    if (markedCount === 0) return
    for (let slot = 0; slot < count; slot += 1)
      if (((marks[slot] ?? 0) & Mark.stale) !== 0) verdicts.refuse(slot, STALE)
  },
}
