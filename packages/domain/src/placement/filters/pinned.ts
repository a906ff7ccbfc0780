import type { Filter } from '../filter.ts'

/** A requester that insists on a provider gets that one or none. */
export const pinned: Filter = {
  name: 'pinned',

  prepare(board, request) {
    if (request.pinned === undefined) return undefined
    const target = board.slotOf(request.pinned)
    return (slot) => (slot === target ? undefined : 'NotTheTarget')
  },
}
