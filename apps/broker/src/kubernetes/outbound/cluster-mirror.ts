import {
  BROKER_FIELD_MANAGER,
  type ClusterAdvertisementStatus,
  clusterAdvertisementKind,
} from '@bourse/contract/kinds'
import type { Cluster, Standing } from '@bourse/domain/ledger'
import { type KubeClient, keyOf } from '@bourse/kube'
import type { LedgerWriter } from '../../ledger/writer/ledger-writer.ts'
import { printedSupply } from '../../presentation/printed-supply.ts'
import {
  type AdvertisementItem,
  type AdvertisementKubeObject,
  decodeAdvertisement,
  stampOf,
  uidOf,
} from '../objects/advertisement-object.ts'
import { clusterStatus, lastingPart } from '../objects/cluster-status.ts'
import { DOOR, MIRROR_LABEL, MIRROR_OF } from '../objects/kinds.ts'
import { saysTheSame } from '../objects/same-text.ts'
import { isBehind, proven } from '../objects/status-stamp.ts'
import { clusterMirrorName, clusterMirrorSpec } from './cluster-mirror-spec.ts'
import type { Pace } from './pace.ts'

type Ports = Readonly<{
  client: Pick<KubeClient, 'apply' | 'delete'>
  read: LedgerWriter['read']
  objects: Readonly<{
    get(key: string): AdvertisementItem | undefined
    byUid(uid: string): AdvertisementItem | undefined
    wrote(object: AdvertisementItem): void
  }>
  pace: Pace
  /** Where what came by REST is shown. */
  namespace: string
  ledgerId: string
  /** How far the ledger is. */
  proof(): string
  now(): number
}>
type Seen = Readonly<{ cluster: Cluster; standing: Standing; index: number }>

const options = { fieldManager: BROKER_FIELD_MANAGER, force: true } as const

/** Shows how each cluster stands, on the object that speaks for it or on a mirror. */
export function createClusterMirror(ports: Ports) {
  const { client, objects, pace, namespace, ledgerId } = ports

  return { show }

  async function show(clusterId: string, signal: AbortSignal): Promise<void> {
    const seen = await ports.read((view, index) => {
      const cluster = view.cluster(clusterId)
      const standing = view.standing(clusterId)
      return cluster && standing && { cluster, standing, index }
    })
    if (!seen) return removeMirror(clusterId, signal)
    const shown =
      seen.cluster.door === DOOR ? await onOwner(seen, signal) : await onMirror(seen, signal)
    if (shown) await showStatus(shown, seen, signal)
  }

  async function removeMirror(clusterId: string, signal: AbortSignal): Promise<void> {
    const name = clusterMirrorName(clusterId)
    if (!objects.get(keyOf({ namespace, name }))?.isOurs) return
    await pace.take(signal)
    await client.delete(clusterAdvertisementKind, { name, namespace }, { signal })
  }

  /** The two outputs beside the fields that the object's user owns. */
  async function onOwner({ cluster, standing }: Seen, signal: AbortSignal) {
    const uid = uidOf(cluster.advertisement.stamp)
    const object = uid === undefined ? undefined : objects.byUid(uid)
    if (!object || object.isDeleting) return undefined
    const { reserved, available } = printedSupply(cluster.advertisement, standing)
    const { resources } = object.spec
    if (saysTheSame([resources.reserved, resources.available], [reserved, available])) return object
    return write(object, { spec: { resources: { reserved, available } } }, signal)
  }

  async function onMirror({ cluster, standing }: Seen, signal: AbortSignal) {
    const name = clusterMirrorName(cluster.clusterId)
    const object = objects.get(keyOf({ namespace, name }))
    const spec = clusterMirrorSpec(cluster, standing)
    if (object?.isOurs && saysTheSame(object.spec, spec)) return object
    const labels = { [MIRROR_LABEL]: MIRROR_OF }
    return write(object ?? { name, namespace }, { metadata: { labels }, spec }, signal)
  }

  async function showStatus(object: AdvertisementItem, seen: Seen, signal: AbortSignal) {
    const { shown: before } = object
    const { cluster, standing, index } = seen
    const { stamp } = cluster.advertisement
    // What the object says may be newer than what the ledger knows: that is not answered yet.
    const isRead = object.isMirror || stampOf(object) === stamp
    const generation = isRead ? object.generation : (before.observedGeneration ?? 0)
    const status = clusterStatus(cluster, standing, {
      ledgerId,
      index,
      generation,
      before,
      now: ports.now(),
    })
    if (isBehind(status, before) || saysTheSame(lastingPart(before), lastingPart(status))) return
    await write(object, { status: proven(status, ports.proof) }, signal)
  }

  type Part = Readonly<{
    metadata?: object
    spec?: object
    status?: ClusterAdvertisementStatus
  }>
  type Target = Readonly<{ name: string; namespace: string; resourceVersion?: string }>

  async function write(
    { name, namespace, resourceVersion }: Target,
    part: Part,
    signal: AbortSignal,
  ) {
    await pace.take(signal)
    const metadata = { name, namespace, ...(resourceVersion && { resourceVersion }) }
    const written = await client.apply<AdvertisementKubeObject>(
      clusterAdvertisementKind,
      { ...part, metadata: { ...metadata, ...part.metadata } },
      { ...options, signal, ...(part.status && { subresource: 'status' as const }) },
    )
    const object = decodeAdvertisement(written)
    if (object) objects.wrote(object)
    return object
  }
}
