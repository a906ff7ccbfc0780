import { createHash } from 'node:crypto'
import type { BorrowersOf } from './capacity/index.ts'
import type { HeldReservation } from './instructions/index.ts'

/**
 * Who stands behind the user that Liqo stamped on a pod, `liqo.io/creator-user`. The provider's
 * webhook writes it from who is logged in, so that no label of a requester's counts. The user of a
 * slice is `<slice>-<first 6 bytes of sha256(requester), in hex>`; a slice of ours is named after
 * its reservation. Any other slice stands for all that its requester has reserved here.
 */
export function createBorrowersOf(held: () => readonly HeldReservation[]): BorrowersOf {
  const marks = new Map<string, string>()

  function markOf(requester: string): string {
    const known = marks.get(requester)
    if (known !== undefined) return known
    const mark = createHash('sha256').update(requester).digest('hex').slice(0, MARK_LENGTH)
    if (marks.size >= MARKS_MAX) marks.clear()
    marks.set(requester, mark)
    return mark
  }

  return (creatorUser) => {
    const end = creatorUser.lastIndexOf('-')
    const [slice, mark] = [creatorUser.slice(0, end), creatorUser.slice(end + 1)]
    const all = held().filter(({ requester }) => markOf(requester) === mark)
    const own = all.filter(({ id }) => slice === id || slice === `res-${id}`)
    const borrowers = own.length > 0 ? own : all
    return borrowers.map(({ id, resources }) => ({ reservation: id, resources }))
  }
}

const MARK_LENGTH = 12
/** Far more requesters than one provider has at a time. */
const MARKS_MAX = 10_000
