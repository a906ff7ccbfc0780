import {
  ADVERTISEMENT_MIRROR_PREFIX,
  type ClusterAdvertisementSpec,
  type ClusterAdvertisementStatus,
} from '@bourse/contract/kinds'
import type { KubeObject } from '@bourse/kube'
import { factsOf, type ObjectFacts } from './object-facts.ts'

export type AdvertisementKubeObject = KubeObject<
  ClusterAdvertisementSpec,
  ClusterAdvertisementStatus
>

/** A ClusterAdvertisement: made by a user for a cluster, or a mirror of one that came by REST. */
export type AdvertisementItem = ObjectFacts &
  Readonly<{ spec: ClusterAdvertisementSpec; shown: ClusterAdvertisementStatus }>

/** What is kept of a ClusterAdvertisement. The API server has checked it against the schema. */
export function decodeAdvertisement(
  object: AdvertisementKubeObject,
): AdvertisementItem | undefined {
  const { spec, status = {} } = object
  if (!spec) return undefined
  return { ...factsOf(object, ADVERTISEMENT_MIRROR_PREFIX), spec, shown: status }
}

/** Which publication this is: freshness counts from when it was first seen. */
export function stampOf({ uid, spec }: Pick<AdvertisementItem, 'uid' | 'spec'>): string {
  return `${uid} ${spec.timestamp ?? ''}`
}

/** The object that a stamp speaks of. */
export function uidOf(stamp: string | undefined): string | undefined {
  return stamp?.slice(0, stamp.indexOf(' '))
}
