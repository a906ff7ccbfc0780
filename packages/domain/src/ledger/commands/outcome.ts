import type { PeeringRole, PeeringSession } from '../../peering/session.ts'
import type { Ranking } from '../../placement/index.ts'
import type { Reservation } from '../../reservation/reservation.ts'
import type { Cluster } from '../../supply/cluster.ts'

/** What a command led to. Refusals are values: nothing is thrown for what a user may do. */
export type Outcome =
  | Readonly<{ kind: 'advertised'; cluster: Cluster; changed: boolean }>
  /** Another door owns this cluster id. */
  | Readonly<{ kind: 'claimedElsewhere'; cluster: Cluster }>
  | Readonly<{ kind: 'reserved'; reservation: Reservation }>
  /** The request id was seen before with the same body. */
  | Readonly<{ kind: 'known'; reservation: Reservation }>
  /** The request id was seen before with another body. */
  | Readonly<{ kind: 'requestIdReused'; reservation: Reservation }>
  /** The request was released before it arrived. */
  | Readonly<{ kind: 'tombstoned' }>
  /** Nothing fits; the ranking says why, cluster by cluster. */
  | Readonly<{ kind: 'refused'; ranking: Ranking }>
  | Readonly<{ kind: 'changed'; reservation: Reservation }>
  /** Already so: the same command again is harmless. */
  | Readonly<{ kind: 'unchanged'; reservation: Reservation }>
  /** The phase does not allow it, e.g. renewing what has ended. */
  | Readonly<{ kind: 'wrongPhase'; reservation: Reservation }>
  | Readonly<{ kind: 'clusterChanged'; cluster: Cluster; changed: boolean }>
  | Readonly<{ kind: 'decommissioned'; cluster: Cluster }>
  /** Nothing held may be lost: so many reservations are still there, or on their way out. */
  | Readonly<{ kind: 'stillHolding'; count: number }>
  /** A ClusterAdvertisement still exists and would bring it back. */
  | Readonly<{ kind: 'stillSpokenFor'; cluster: Cluster }>
  /** Its agent advertised so long ago, so it probably runs and would bring it back. */
  | Readonly<{ kind: 'stillHeard'; silentMs: number }>
  /** As it is now, or as it last was. */
  | Readonly<{ kind: 'peering'; session: PeeringSession; changed: boolean }>
  /** The pair has no live reservation to peer for. */
  | Readonly<{ kind: 'noReservation' }>
  | Readonly<{ kind: 'tooManyPeerings'; count: number }>
  /** The session's id is that of another pair. */
  | Readonly<{ kind: 'peeringIdTaken' }>
  /** Only the other side posts this step. */
  | Readonly<{ kind: 'notYourStep'; role: PeeringRole }>
  | Readonly<{ kind: 'missing' }>
  | Readonly<{ kind: 'done' }>
