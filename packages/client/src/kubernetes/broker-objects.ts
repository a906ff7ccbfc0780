import { hash } from 'node:crypto'
import type { ReservationRequest } from '@bourse/contract'
import type {
  ClusterAdvertisementSpec,
  ClusterAdvertisementStatus,
  ReservationSpec,
  ReservationStatus,
} from '@bourse/contract/kinds'
import {
  BROKER_GROUP,
  KINDS_VERSION,
  LEDGER_SEEN_ANNOTATION,
  RELEASED_EARLY_ANNOTATION,
  REQUEST_DIGEST_ANNOTATION,
  REQUEST_ID_ANNOTATION,
  RESERVATION_MIRROR_PREFIX,
} from '@bourse/contract/names'
import type { Kind, KubeObject } from '@bourse/kube'

/*
 * Repeated here, since the contract's definitions load a schema library that costs an agent too
 * much memory.
 */
const ours = { group: BROKER_GROUP, version: KINDS_VERSION, namespaced: true } as const
export const RESERVATION: Kind = { ...ours, plural: 'reservations', kind: 'Reservation' }
export const CLUSTER_ADVERTISEMENT: Kind = {
  ...ours,
  plural: 'clusteradvertisements',
  kind: 'ClusterAdvertisement',
}

export type ReservationObject = KubeObject<ReservationSpec, ReservationStatus>
export type AdvertisementObject = KubeObject<ClusterAdvertisementSpec, ClusterAdvertisementStatus>

/** The cluster and the namespace of its objects. */
export type Place = Readonly<{
  clusterId: string
  namespace: string
  /** The newest proof of the ledger that this cluster has; every write carries it. */
  seen(): string | undefined
}>

/** Prefixes that no mirror's name has. */
const REQUEST_PREFIX = 'req'
const QUESTION_PREFIX = 'ask'
const ADVERTISEMENT_PREFIX = 'cluster'
const DIGEST_LENGTH = 32

/** The same request id gives the same name, so that a repeat finds its object. */
export function requestName(clusterId: string, requestId: string): string {
  return `${REQUEST_PREFIX}-${clusterId}-${digestOf([clusterId, requestId])}`
}

export function questionName(clusterId: string, nonce: string): string {
  return `${QUESTION_PREFIX}-${clusterId}-${nonce}`
}

export function advertisementName(clusterId: string): string {
  return `${ADVERTISEMENT_PREFIX}-${clusterId}`
}

/** The annotations of every object of this transport. */
export function seenOf({ seen }: Pick<Place, 'seen'>): Record<string, string> {
  const text = seen()
  return text === undefined ? {} : { [LEDGER_SEEN_ANNOTATION]: text }
}

export function requestObject(
  place: Place,
  requestId: string,
  { requestId: _id, requesterID, ...body }: ReservationRequest,
): ReservationObject {
  const { clusterId, namespace } = place
  const spec = { ...given(body), requesterID: requesterID || clusterId }
  const annotations = {
    ...seenOf(place),
    [REQUEST_ID_ANNOTATION]: requestId,
    [REQUEST_DIGEST_ANNOTATION]: digestOf(sorted(spec)),
  }
  const name = requestName(clusterId, requestId)
  // The API server checks it against the schema; nothing here is more than what was written.
  return reservation({ name, namespace, annotations }, spec as ReservationSpec)
}

/** Requests nothing; the schema requires an amount. */
export function releasedEarly(place: Place, name: string, requestId?: string): ReservationObject {
  const { clusterId, namespace } = place
  const annotations = {
    ...seenOf(place),
    [RELEASED_EARLY_ANNOTATION]: 'true',
    ...(requestId !== undefined && { [REQUEST_ID_ANNOTATION]: requestId }),
  }
  const spec = { requesterID: clusterId, requestedResources: { cpu: '1m' }, priority: 0 }
  return reservation({ name, namespace, annotations }, spec)
}

export function isReleasedEarly({ metadata }: ReservationObject): boolean {
  return metadata.annotations?.[RELEASED_EARLY_ANNOTATION] !== undefined
}

export function isMirror({ metadata }: Pick<ReservationObject, 'metadata'>): boolean {
  return metadata.name.startsWith(RESERVATION_MIRROR_PREFIX)
}

/** Created by this transport, which also deletes it. */
export function isOurMaking({ metadata }: ReservationObject): boolean {
  const { annotations = {} } = metadata
  return REQUEST_ID_ANNOTATION in annotations || RELEASED_EARLY_ANNOTATION in annotations
}

export function asksTheSame(one: ReservationObject, other: ReservationObject): boolean {
  const digest = (object: ReservationObject) =>
    object.metadata.annotations?.[REQUEST_DIGEST_ANNOTATION]
  return digest(one) === digest(other)
}

/** Without undefined and null: the API server refuses nulls. */
export function given(body: object): Record<string, unknown> {
  const entries = Object.entries(body).map(
    ([name, value]) => [name, isTable(value) ? given(value) : value] as const,
  )
  return Object.fromEntries(
    entries.filter(([, value]) => value !== null && value !== undefined && value !== ''),
  )
}

function reservation(metadata: KubeObject['metadata'], spec: ReservationSpec): ReservationObject {
  return { apiVersion: `${BROKER_GROUP}/${KINDS_VERSION}`, kind: 'Reservation', metadata, spec }
}

function sorted(value: unknown): unknown {
  if (!isTable(value)) return value
  const names = Object.keys(value).sort()
  return names.map((name) => [name, sorted(value[name])])
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function digestOf(value: unknown): string {
  return hash('sha256', JSON.stringify(value), 'hex').slice(0, DIGEST_LENGTH)
}
