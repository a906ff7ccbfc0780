import { type BorrowersOf, PLACEHOLDER_USER } from '../capacity/index.ts'
import { liqoIdHash, sliceName } from '../peering/index.ts'
import type { HeldReservation } from '../peering/port/peering.ts'

/** Read by capacity from pods that only the agent can make, never from a label of a requester's. */
const PLACEHOLDER = `${PLACEHOLDER_USER}/`

/**
 * Finds the reservations of the user that Liqo stamped on a pod, `liqo.io/creator-user`. The
 * provider's webhook writes the authenticated user, so a requester cannot choose it. The user of a
 * slice is `<slice>-<hash of the requester's Liqo id>`; a slice of ours is named after its
 * reservation. Any other slice stands for all that its requester has reserved here.
 *
 * `liqoIdOf`: without an answer, the cluster id is taken for the Liqo id.
 */
export function createBorrowersOf(
  held: () => readonly HeldReservation[],
  liqoIdOf: (clusterId: string) => string | undefined = () => undefined,
): BorrowersOf {
  const hashes = new Map<string, string>()

  function hashOfRequester(requester: string): string {
    const liqoId = liqoIdOf(requester) ?? requester
    const known = hashes.get(liqoId)
    if (known !== undefined) return known
    const hash = liqoIdHash(liqoId)
    if (hashes.size >= MARKS_MAX) hashes.clear()
    hashes.set(liqoId, hash)
    return hash
  }

  function behind(creatorUser: string): readonly HeldReservation[] {
    if (creatorUser.startsWith(PLACEHOLDER))
      return held().filter(({ id }) => creatorUser === `${PLACEHOLDER}${id}`)
    const end = creatorUser.lastIndexOf('-')
    const [slice, hash] = [creatorUser.slice(0, end), creatorUser.slice(end + 1)]
    const all = held().filter(({ requester }) => hashOfRequester(requester) === hash)
    const own = all.filter(({ id }) => slice === id || slice === sliceName(id))
    return own.length > 0 ? own : all
  }

  return (creatorUser) =>
    behind(creatorUser).map(({ id, resources }) => ({ reservation: id, resources }))
}

/** Far more requesters than one provider has at a time. */
const MARKS_MAX = 10_000
