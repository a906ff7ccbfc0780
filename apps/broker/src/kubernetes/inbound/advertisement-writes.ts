import {
  BROKER_FIELD_MANAGER,
  type ClusterAdvertisementStatus,
  clusterAdvertisementKind,
} from '@bourse/contract/kinds'
import type { KubeClient } from '@bourse/kube'
import {
  type AdvertisementItem,
  type AdvertisementKubeObject,
  decodeAdvertisement,
} from '../objects/advertisement-object.ts'
import { delayedStatus, lastingPart, rejectedStatus } from '../objects/cluster-status.ts'
import { RATE_LIMITED } from '../objects/kinds.ts'
import { createApply } from '../objects/object-writes.ts'
import { saysTheSame } from '../objects/same-status.ts'

type Ports = Readonly<{
  client: Pick<KubeClient, 'apply' | 'mergePatch'>
  wrote(object: AdvertisementItem): void
  warn(object: AdvertisementItem, reason: string, note: string): void
  ledgerId: string
  /** How far the ledger is. */
  proof(): string
  index(): number
  now(): number
}>

const fieldManager = BROKER_FIELD_MANAGER

export type AdvertisementWrites = ReturnType<typeof createAdvertisementWrites>

/** What is written to a ClusterAdvertisement when it is read; its mirror shows how it stands. */
export function createAdvertisementWrites(ports: Ports) {
  const { client, wrote, warn } = ports
  const apply = createApply<AdvertisementKubeObject>(clusterAdvertisementKind, ports)

  return {
    /** Fills in the timestamp that was left out. */
    async date(object: AdvertisementItem, timestamp: string): Promise<AdvertisementItem> {
      const { resourceVersion } = object
      // A patch, not an apply: the field belongs to the next client that patches it.
      const patch = { metadata: { resourceVersion }, spec: { timestamp } }
      return noted(
        await client.mergePatch(clusterAdvertisementKind, object, patch, { fieldManager }),
      )
    },

    /** Says why this object counts for nothing. */
    reject(object: AdvertisementItem, reason: string, message: string): Promise<void> {
      const status = rejectedStatus({ reason, message, ...momentOf(object) })
      return tell(object, reason, status)
    },

    /** Says why it is read later; what was read before still counts. */
    postpone(object: AdvertisementItem, message: string): Promise<void> {
      return tell(object, RATE_LIMITED, delayedStatus({ message, ...momentOf(object) }))
    },
  }

  function momentOf({ generation, shown: before }: AdvertisementItem) {
    const { ledgerId } = ports
    return { ledgerId, index: ports.index(), now: ports.now(), generation, before }
  }

  async function tell(
    object: AdvertisementItem,
    reason: string,
    status: ClusterAdvertisementStatus,
  ): Promise<void> {
    if (saysTheSame(lastingPart(object.shown), lastingPart(status))) return
    warn(object, reason, status.message ?? '')
    noted(await apply(object, { status }))
  }

  function noted(written: AdvertisementKubeObject): AdvertisementItem {
    const object = decodeAdvertisement(written)
    if (!object) throw new Error('A ClusterAdvertisement came back without a spec')
    wrote(object)
    return object
  }
}
