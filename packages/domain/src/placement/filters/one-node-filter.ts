import { verdictOf } from '../board/verdicts.ts'
import { fitsOnNode } from '../decision/room.ts'
import type { Filter } from './filter.ts'

const NO_NODE_FITS = verdictOf('NoNodeFits')

/** A request for one node needs a node that could take it. An unknown one may. */
export const oneNode: Filter<'wanted' | 'oneNode'> = {
  name: 'one-node',
  needs: ['wanted', 'oneNode'],

  refuse(board, request, verdicts) {
    if (!request.oneNode) return
    const { count } = board
    for (let slot = 0; slot < count; slot += 1)
      if (!fitsOnNode(request.wanted, board.exact(slot).nodeFit))
        verdicts.refuse(slot, NO_NODE_FITS)
  },
}
