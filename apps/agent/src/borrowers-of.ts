import type { Borrower } from './capacity/index.ts'
import type { HeldReservation } from './instructions/index.ts'

/**
 * Who stands behind the user that Liqo stamped on a pod, `liqo.io/creator-user`: a cluster, whose
 * id is the user of its control plane, or one slice of it, named as its reservation. The stamp is
 * made by the provider's webhook from who is logged in, so that no label of a requester's counts.
 */
export function borrowersOf(
  creatorUser: string,
  held: readonly HeldReservation[],
): readonly Borrower[] {
  return held
    .filter(
      ({ id, requester }) =>
        creatorUser === requester || creatorUser === `liqo-tenant-${requester}-${id}`,
    )
    .map(({ id, resources }) => ({ reservation: id, resources }))
}
