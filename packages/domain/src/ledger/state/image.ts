import { sizeLimits } from '../../limits.ts'
import type { PeeringSession } from '../../peering/session.ts'
import type { TombstoneRecord } from '../../reservation/request-ids.ts'
import type { Reservation } from '../../reservation/reservation.ts'
import type { Cluster } from '../../supply/cluster.ts'

/** The whole state at one moment, as references to immutable values. */
export type LedgerImage = Readonly<{
  ledgerId: string
  /** The number of the last reservation. Never decreases: no id is used twice. */
  lastNumber: number
  /** The latest `at` of any event. */
  lastAt: number
  clusters: readonly Readonly<{ cluster: Cluster; advertisedAt: number }>[]
  requesters: readonly Readonly<{ requester: string; heardAt: number }>[]
  /** Live, draining, and ended but not yet in the history. */
  reservations: readonly Reservation[]
  /** Released reservations that a provider still holds, since they were in use. */
  draining: readonly Readonly<{ id: string; clusterId: string }>[]
  tombstones: readonly TombstoneRecord[]
  peerings: readonly PeeringSession[]
}>

/** A snapshot is written and read in parts, so that commands can run between two of them. */
export type ImagePart =
  | (Readonly<{ kind: 'header' }> & Pick<LedgerImage, 'ledgerId' | 'lastNumber' | 'lastAt'>)
  | (Readonly<{ kind: 'clusters' }> & Pick<LedgerImage, 'clusters'>)
  | (Readonly<{ kind: 'requesters' }> & Pick<LedgerImage, 'requesters'>)
  | (Readonly<{ kind: 'reservations' }> & Pick<LedgerImage, 'reservations'>)
  | (Readonly<{ kind: 'draining' }> & Pick<LedgerImage, 'draining'>)
  | (Readonly<{ kind: 'tombstones' }> & Pick<LedgerImage, 'tombstones'>)
  | (Readonly<{ kind: 'peerings' }> & Pick<LedgerImage, 'peerings'>)

/** In the order in which the parts must be loaded. */
export function* partsOf(image: LedgerImage): Generator<ImagePart> {
  const { ledgerId, lastNumber, lastAt } = image
  yield { kind: 'header', ledgerId, lastNumber, lastAt }
  for (const clusters of slices(image.clusters)) yield { kind: 'clusters', clusters }
  for (const requesters of slices(image.requesters)) yield { kind: 'requesters', requesters }
  // Before the reservations: they are counted for the peerings of their pairs.
  for (const peerings of slices(image.peerings)) yield { kind: 'peerings', peerings }
  // Before the reservations: loading an ended one asks which providers still hold it.
  for (const draining of slices(image.draining)) yield { kind: 'draining', draining }
  for (const reservations of slices(image.reservations))
    yield { kind: 'reservations', reservations }
  for (const tombstones of slices(image.tombstones)) yield { kind: 'tombstones', tombstones }
}

function* slices<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < items.length; from += sizeLimits.partSizeMax)
    yield items.slice(from, from + sizeLimits.partSizeMax)
}
