import type { ImagePart } from '@bourse/domain/ledger'
import type { Stored } from './amount-codec.ts'
import { formatOf } from './fields.ts'
import { type PackedReservations, packReservations } from './reservation-packing.ts'
import { createUnpacker } from './reservation-unpacking.ts'
import { decodeCluster, encodeCluster } from './value-codec.ts'

/** The format of snapshots. A reader reads all up to its own. */
const IMAGE_VERSION = 3
/** The first that had peerings. */
const PEERINGS_VERSION = 2
/** The format of a part that names none: a ledger without new features can go back. */
const FIRST_VERSION = 1

type Reservations = Extract<ImagePart, { kind: 'reservations' }>

/** A part as it is written: plain JSON, but reservations, of which there are many, are packed. */
type StoredPart =
  | Stored<Exclude<ImagePart, Reservations>>
  | (Readonly<{ kind: 'reservations' }> & PackedReservations)

/** One part, one line of JSON. */
export const encodePart = (part: ImagePart): string => JSON.stringify(storedPart(part))

/**
 * Reads the parts of one snapshot, in order. It remembers the strings and vectors it has seen, so
 * that a million reservations share the few hundred that they repeat; drop it after the load.
 */
export function createPartDecoder(): (line: string) => ImagePart {
  const unpack = createUnpacker()
  return (line) => {
    // A chunk's hash is verified before it is read: it is what an `encodePart` wrote.
    const stored = JSON.parse(line) as StoredPart & Readonly<{ v?: number }>
    const { v, ...part } = stored
    if (v !== undefined && v > IMAGE_VERSION) throw newer(v)
    switch (part.kind) {
      case 'header':
      case 'requesters':
      case 'draining':
      case 'tombstones':
      case 'peerings':
        return part
      case 'clusters': {
        const clusters = part.clusters.map((one) => ({
          ...one,
          cluster: decodeCluster(one.cluster),
        }))
        return { kind: 'clusters', clusters }
      }
      case 'reservations':
        return { kind: 'reservations', reservations: unpack(part) }
    }
  }
}

function storedPart(part: ImagePart): StoredPart & Readonly<{ v?: number }> {
  switch (part.kind) {
    case 'header':
      return { v: FIRST_VERSION, ...part }
    case 'peerings':
      return { v: PEERINGS_VERSION, ...part }
    case 'requesters':
    case 'draining':
    case 'tombstones':
      return part
    case 'clusters': {
      const clusters = part.clusters.map((one) => ({ ...one, cluster: encodeCluster(one.cluster) }))
      return { kind: 'clusters', clusters }
    }
    case 'reservations': {
      const v = Math.max(FIRST_VERSION, ...part.reservations.map((one) => formatOf(one)))
      const packed = packReservations(part.reservations)
      return { ...(v > FIRST_VERSION && { v }), kind: 'reservations', ...packed }
    }
  }
}

const newer = (version: number) =>
  new Error(
    `The snapshot is in format ${version}, written by a newer broker; this one reads up to ` +
      `${IMAGE_VERSION}. Start the newer version on this directory`,
  )
