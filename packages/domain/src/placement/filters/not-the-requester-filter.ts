import { verdictOf } from '../board/verdicts.ts'
import type { Filter } from './filter.ts'

const IS_REQUESTER = verdictOf('IsRequester')

/** A requester does not borrow from itself. */
export const notTheRequester: Filter<'requester'> = {
  name: 'not-the-requester',
  needs: ['requester'],

  refuse(board, { requester }, verdicts) {
    const own = board.slotOf(requester)
    if (own !== undefined) verdicts.refuse(own, IS_REQUESTER)
  },
}
