import type { Advertisement, EndReason, Phase, Reservation } from '@bourse/contract'
import { REQUEST_ID_ANNOTATION } from '@bourse/contract/names'
import { BadAnswer } from '../communicator/errors.ts'
import { present } from '../communicator/present.ts'
import { type AdvertisementObject, isMirror, type ReservationObject } from './broker-objects.ts'

const LIVE: ReadonlySet<Phase | undefined> = new Set(['Reserved', 'Active'])
const ENDED: ReadonlySet<Phase | undefined> = new Set(['Released', 'Failed'])

/** Capacity is locked. */
export function isHeld({ status }: ReservationObject): boolean {
  return LIVE.has(status?.phase)
}

export function hasEnded({ status }: ReservationObject): boolean {
  return ENDED.has(status?.phase)
}

/** A reservation as in the REST API. */
export function toReservation({ metadata, spec, status }: ReservationObject): Reservation {
  if (!spec || status?.reservationID === undefined || status.phase === undefined)
    throw new BadAnswer(`${metadata.name} is a Reservation without an answer of a broker.`)
  const { targetClusterID = '', targetClusterEndpoint, ledgerIndex = 0 } = status
  const { reservedAt, activatedAt, expiresAt, endedAt } = status
  const reason = status.reason as EndReason | undefined
  const requestId = metadata.annotations?.[REQUEST_ID_ANNOTATION] ?? metadata.uid
  return {
    id: status.reservationID,
    requesterID: spec.requesterID,
    targetClusterID,
    requestedResources: inWords(spec.requestedResources),
    status: {
      phase: status.phase,
      ...(reason && { reason }),
      message: status.message ?? '',
      ...present({ reservedAt, activatedAt, expiresAt, endedAt }),
    },
    createdAt: metadata.creationTimestamp ?? '',
    // A reservation made by REST does not show its request id.
    ...(requestId !== undefined && !isMirror({ metadata }) && { requestId }),
    priority: spec.priority ?? 0,
    ...(spec.oneNode && { oneNode: true }),
    ...(targetClusterEndpoint && { endpointURL: targetClusterEndpoint }),
    ...(reason && { reason }),
    index: ledgerIndex,
  }
}

/** An advertisement as in the REST API, once a broker has read it. */
export function toAdvertisement({ spec, status }: AdvertisementObject): Advertisement {
  if (!spec || !status) throw new BadAnswer('The ClusterAdvertisement is empty.')
  const { capacity, allocatable = capacity, allocated = {} } = spec.resources
  const { cost, labels, used, visibility, largestFit, gpuModels, liqo } = spec
  return {
    clusterID: spec.clusterID,
    clusterName: spec.clusterName ?? spec.clusterID,
    resources: {
      capacity: inWords(capacity),
      allocatable: inWords(allocatable),
      allocated: inWords(allocated),
      reserved: status.reserved ?? {},
      available: status.available ?? {},
    },
    timestamp: status.lastSeenAt ?? spec.timestamp ?? '',
    ...(cost?.currency && { cost: { ...cost, currency: cost.currency } }),
    ...present({
      endpointURL: spec.endpointURL || undefined,
      location: spec.location || undefined,
      ...{ labels, used, visibility, largestFit, gpuModels, liqo },
    }),
    status: clusterStatusOf(status),
  }
}

type ClusterStatus = NonNullable<AdvertisementObject['status']>

function clusterStatusOf(status: ClusterStatus): Advertisement['status'] {
  const { score = '0.00', lastSeenAt = '' } = status
  const holding = (wanted: string) =>
    status.conditions?.find(({ type, status: holds }) => type === wanted && holds === 'True')
  return {
    phase: status.phase ?? 'Active',
    accepting: status.accepting ?? 'open',
    score,
    band: bandOf(Number(score)),
    overcommitted: holding('Overcommitted') !== undefined,
    ...present({ unpriced: holding('Unpriced')?.message }),
    liveReservations: status.liveReservations ?? 0,
    lastSeenAt,
    changedAt: lastSeenAt,
  }
}

/** contract §3 */
function bandOf(score: number): Advertisement['status']['band'] {
  if (score >= 90) return 'excellent'
  if (score >= 70) return 'good'
  return score >= 50 ? 'moderate' : 'limited'
}

function inWords(amounts: Readonly<Record<string, string | number>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(amounts).map(([name, amount]) => [name, String(amount)] as const),
  )
}
