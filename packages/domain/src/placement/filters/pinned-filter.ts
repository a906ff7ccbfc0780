import { verdictOf } from '../board/verdicts.ts'
import type { Filter } from './filter.ts'

const NOT_THE_TARGET = verdictOf('NotTheTarget')

/** A pinned request gets its provider or none. */
export const pinned: Filter<'pinned'> = {
  name: 'pinned',
  needs: ['pinned'],

  refuse(board, request, verdicts) {
    if (request.pinned === undefined) return
    const target = board.slotOf(request.pinned)
    const { count } = board
    for (let slot = 0; slot < count; slot += 1)
      if (slot !== target) verdicts.refuse(slot, NOT_THE_TARGET)
  },
}
