import { verdictOf } from '../board/verdicts.ts'
import type { Filter } from './filter.ts'

const IS_REQUESTER = verdictOf('IsRequester')

/** Nobody borrows from themselves. */
export const notTheRequester: Filter<'requester'> = {
  name: 'not-the-requester',
  needs: ['requester'],

  refuse(board, { requester }, verdicts) {
    const own = board.slotOf(requester)
    if (own !== undefined) verdicts.refuse(own, IS_REQUESTER)
  },
}
