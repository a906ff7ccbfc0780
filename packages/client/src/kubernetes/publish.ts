import type { AdvertisementInput } from '@bourse/contract'
import type { KubeClient, Patience } from '@bourse/kube'
import { BrokerRefused } from '../errors.ts'
import {
  type AdvertisementObject,
  advertisementName,
  CLUSTER_ADVERTISEMENT,
  given,
  type Place,
} from './broker-objects.ts'
import { ANSWER_WITHIN_MS, noAnswer } from './ledger-sense.ts'

type Ports = Readonly<{
  client: Pick<KubeClient, 'apply' | 'get'>
  place: Place
  patience: Patience
  closing: AbortSignal
}>

export const FIELD_MANAGER = 'bourse-agent'
/** A broker that is not busy has answered by the second look. */
const LOOK_FIRST_MS = 20
const LOOK_LATER_MAX_MS = 500
/** Ready is False for these when the broker does not take what it reads. */
const REJECTIONS = new Set(['ClaimedElsewhere', 'InvalidAdvertisement'])

/**
 * Writes a cluster's ClusterAdvertisement, and comes back with what the broker says about it. A
 * cluster may read its own and no list of them, so that it looks instead of watching.
 */
export async function publish(
  { client, place, patience, closing }: Ports,
  input: AdvertisementInput,
): Promise<AdvertisementObject> {
  const { namespace } = place
  const name = advertisementName(input.clusterID)
  const spec = specOf(input, new Date(patience.now()).toISOString())
  const written = await client.apply<AdvertisementObject>(
    CLUSTER_ADVERTISEMENT,
    { metadata: { name, namespace }, spec },
    { fieldManager: FIELD_MANAGER, force: true, signal: closing },
  )
  const isAnswered = ({ status }: AdvertisementObject) =>
    (status?.observedGeneration ?? 0) >= (written.metadata.generation ?? 0)

  const giveUpAt = patience.now() + ANSWER_WITHIN_MS
  let pauseMs = LOOK_FIRST_MS
  let seen = written
  while (!isAnswered(seen)) {
    if (patience.now() > giveUpAt) throw noAnswer(place)
    await patience.sleep(pauseMs, closing)
    pauseMs = Math.min(LOOK_LATER_MAX_MS, pauseMs * 2)
    seen = await client.get(CLUSTER_ADVERTISEMENT, name, namespace, { signal: closing })
  }
  return accepted(seen)
}

/** Each publication is a sign of life, also with the same numbers: its timestamp is of now. */
function specOf({ resources, ...input }: AdvertisementInput, timestamp: string) {
  // Outputs of the broker: it owns these fields of the object.
  const { reserved: _reserved, available: _available, ...own } = resources
  const { liqo: _liqo, ...spec } = { ...input, resources: own, timestamp }
  return given(spec)
}

function accepted(object: AdvertisementObject): AdvertisementObject {
  const ready = object.status?.conditions?.find(({ type }) => type === 'Ready')
  const { reason = '', message = '' } = ready ?? {}
  if (ready?.status !== 'False' || !REJECTIONS.has(reason)) return object
  if (reason === 'ClaimedElsewhere')
    throw new BrokerRefused(message, { status: 409, code: 'ClaimedElsewhere' })
  throw new BrokerRefused(message, { status: 400, code: 'InvalidRequest' })
}
