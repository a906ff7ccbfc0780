import type { AdvertisementInput } from '@bourse/contract'
import type { Clock, KubeClient } from '@bourse/kube'
import { BrokerBusy, BrokerRefused } from '../communicator/errors.ts'
import {
  type AdvertisementObject,
  advertisementName,
  CLUSTER_ADVERTISEMENT,
  given,
  type Place,
  seenOf,
} from './broker-objects.ts'
import { ANSWER_WITHIN_MS, noAnswer } from './ledger-sense.ts'

type Ports = Readonly<{
  client: Pick<KubeClient, 'apply' | 'get'>
  place: Place
  clock: Clock
  closing: AbortSignal
}>

export const FIELD_MANAGER = 'bourse-agent'
/** A broker that is not busy has answered by the second read. */
const LOOK_FIRST_MS = 20
const LOOK_LATER_MAX_MS = 500
/** The reason of Ready=False and of a Pending Reservation while the cluster is throttled. */
export const RATE_LIMITED = 'RateLimited'
export const TOO_MANY = 429
/** Reasons of Ready=False when the broker does not accept the object. */
const REJECTIONS = new Set(['ClaimedElsewhere', 'InvalidAdvertisement', 'ClusterDenied'])

/**
 * Writes a cluster's ClusterAdvertisement and returns the broker's answer. A cluster may read its
 * own object but no list, so it polls instead of watching.
 */
export async function publish(
  { client, place, clock, closing }: Ports,
  input: AdvertisementInput,
): Promise<AdvertisementObject> {
  const { namespace } = place
  if (input.clusterID !== place.clusterId) throw notFor(input.clusterID, place)
  const name = advertisementName(input.clusterID)
  const spec = specOf(input, new Date(clock.now()).toISOString())
  const written = await client.apply<AdvertisementObject>(
    CLUSTER_ADVERTISEMENT,
    { metadata: { name, namespace, annotations: seenOf(place) }, spec },
    { fieldManager: FIELD_MANAGER, force: true, signal: closing },
  )
  const isAnswered = ({ status }: AdvertisementObject) =>
    (status?.observedGeneration ?? 0) >= (written.metadata.generation ?? 0)

  const giveUpAt = clock.now() + ANSWER_WITHIN_MS
  let pauseMs = LOOK_FIRST_MS
  let seen = written
  while (!isAnswered(seen)) {
    refuseIfDelayed(seen)
    if (clock.now() > giveUpAt) throw noAnswer(place)
    await clock.sleep(pauseMs, closing)
    pauseMs = Math.min(LOOK_LATER_MAX_MS, pauseMs * 2)
    seen = await client.get(CLUSTER_ADVERTISEMENT, name, namespace, { signal: closing })
  }
  return accepted(seen)
}

/**
 * Only fields of the kind: the API server refuses others. Each publication is a sign of life, even
 * with the same numbers, so its timestamp is the current time. Reserved and available are left
 * out: the broker owns these fields.
 */
function specOf(input: AdvertisementInput, timestamp: string) {
  const { clusterID, clusterName, resources, cost, endpointURL, labels, location } = input
  const { used, seenIndex, visibility, largestFit, gpuModels, liqo } = input
  const { capacity, allocatable, allocated } = resources
  return given({
    clusterID,
    clusterName,
    cost,
    endpointURL,
    labels,
    used,
    seenIndex,
    visibility,
    largestFit,
    gpuModels,
    liqo,
    ...(typeof location === 'string' && { location }),
    timestamp,
    resources: { capacity, allocatable, allocated },
  })
}

/** The object stays and is read later; the same content is not written again before. */
function refuseIfDelayed({ metadata, status }: AdvertisementObject): void {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  const isOfThis = (ready?.observedGeneration ?? 0) >= (metadata.generation ?? 0)
  if (isOfThis && ready?.reason === RATE_LIMITED)
    throw new BrokerBusy(ready.message ?? '', TOO_MANY)
}

export function notFor(whom: string | undefined, { clusterId }: Place): BrokerRefused {
  return new BrokerRefused(`${clusterId} can only advertise itself, not ${whom}.`, {
    status: 403,
    code: 'NotYours',
  })
}

function accepted(object: AdvertisementObject): AdvertisementObject {
  const ready = object.status?.conditions?.find(({ type }) => type === 'Ready')
  const { reason = '', message = '' } = ready ?? {}
  if (ready?.status !== 'False' || !REJECTIONS.has(reason)) return object
  if (reason === 'ClaimedElsewhere')
    throw new BrokerRefused(message, { status: 409, code: 'ClaimedElsewhere' })
  if (reason === 'ClusterDenied') throw new BrokerRefused(message, { status: 403, code: reason })
  throw new BrokerRefused(message, { status: 400, code: 'InvalidRequest' })
}
