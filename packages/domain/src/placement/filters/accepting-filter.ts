import { Mark } from '../board/board.ts'
import { verdictOf } from '../board/verdicts.ts'
import type { Filter } from './filter.ts'

const CORDONED = verdictOf('Cordoned')
const WITHDRAWN = verdictOf('Withdrawn')

/** Cordoned and withdrawn clusters take nothing new. */
export const accepting: Filter<never> = {
  name: 'accepting',
  needs: [],

  refuse({ marks, markedCount, count }, _request, verdicts) {
    if (markedCount === 0) return
    for (let slot = 0; slot < count; slot += 1) {
      const mark = marks[slot] ?? 0
      if (mark === 0) continue
      if ((mark & Mark.withdrawn) !== 0) verdicts.refuse(slot, WITHDRAWN)
      else if ((mark & Mark.cordoned) !== 0) verdicts.refuse(slot, CORDONED)
    }
  },
}
