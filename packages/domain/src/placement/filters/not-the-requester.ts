import type { Filter } from '../filter.ts'

/** Nobody borrows from themselves. */
export const notTheRequester: Filter = {
  name: 'not-the-requester',

  prepare(board, { requester }) {
    const own = board.slotOf(requester)
    if (own === undefined) return undefined
    return (slot) => (slot === own ? 'IsRequester' : undefined)
  },
}
