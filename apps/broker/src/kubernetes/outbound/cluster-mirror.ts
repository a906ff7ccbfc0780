import {
  ADVERTISEMENT_MIRROR_PREFIX,
  type ClusterAdvertisementSpec,
  clusterAdvertisementKind,
} from '@bourse/contract/kinds'
import { given } from '@bourse/daemon/given'
import type { Cluster, Standing } from '@bourse/domain/ledger'
import { keyOf } from '@bourse/kube'
import { isoOf } from '../../presentation/moments.ts'
import { printedCost, printedSupply } from '../../presentation/printed-supply.ts'
import {
  type AdvertisementItem,
  type AdvertisementKubeObject,
  decodeAdvertisement,
  stampOf,
  uidOf,
} from '../objects/advertisement-object.ts'
import { clusterStatus, lastingPart } from '../objects/cluster-status.ts'
import { DOOR } from '../objects/kinds.ts'
import type { ObjectCache } from '../objects/object-cache.ts'
import { isBehind, saysTheSame } from '../objects/same-status.ts'
import { createMirrorWrites, type MirrorPorts, mirrorLabels } from './mirror-writes.ts'

type Ports = MirrorPorts &
  Readonly<{ objects: Pick<ObjectCache<AdvertisementItem>, 'get' | 'byUid' | 'wrote'> }>
type Seen = Readonly<{ cluster: Cluster; standing: Standing; index: number }>

/** Shows how each cluster stands, on the object that speaks for it or on a mirror. */
export function createClusterMirror(ports: Ports) {
  const { objects, namespace, ledgerId } = ports
  const { apply, remove, removeStray } = createMirrorWrites<AdvertisementKubeObject>(
    clusterAdvertisementKind,
    ports,
  )

  return {
    show,
    removeStray: (key: string, signal: AbortSignal) => removeStray(objects.get(key), signal),
  }

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
    const mirror = objects.get(keyOf(addressOf(clusterId)))
    if (mirror?.isOurs) await remove(mirror, signal)
  }

  function addressOf(clusterId: string) {
    return { namespace, name: `${ADVERTISEMENT_MIRROR_PREFIX}${clusterId}` }
  }

  /** The two outputs beside the fields that the object's user owns. */
  async function onOwner({ cluster, standing }: Seen, signal: AbortSignal) {
    const uid = uidOf(cluster.advertisement.stamp)
    const object = uid === undefined ? undefined : objects.byUid(uid)
    if (!object || object.isDeleting) return undefined
    const { reserved, available } = printedSupply(cluster.advertisement, standing)
    const { resources } = object.spec
    if (saysTheSame([resources.reserved, resources.available], [reserved, available])) return object
    return noted(await apply(object, { spec: { resources: { reserved, available } } }, signal))
  }

  async function onMirror({ cluster, standing }: Seen, signal: AbortSignal) {
    const address = addressOf(cluster.clusterId)
    const object = objects.get(keyOf(address))
    const spec = clusterMirrorSpec(cluster, standing)
    if (object?.isOurs && saysTheSame(object.spec, spec)) return object
    return noted(await apply(object ?? address, { metadata: mirrorLabels, spec }, signal))
  }

  async function showStatus(object: AdvertisementItem, seen: Seen, signal: AbortSignal) {
    const { shown: before } = object
    const { cluster, standing, index } = seen
    const { stamp } = cluster.advertisement
    // What the object says may be newer than what the ledger knows: that is not answered yet.
    const isRead = object.isMirror || stampOf(object) === stamp
    const generation = isRead ? object.generation : (before.observedGeneration ?? 0)
    const showing = { ledgerId, index, generation, before, now: ports.now() }
    const status = clusterStatus(cluster, standing, showing)
    if (isBehind(status, before) || saysTheSame(lastingPart(before), lastingPart(status))) return
    noted(await apply(object, { status }, signal))
  }

  function noted(written: AdvertisementKubeObject): AdvertisementItem | undefined {
    const object = decodeAdvertisement(written)
    if (object) objects.wrote(object)
    return object
  }
}

/** A cluster that advertises by REST, written as its advertisement would be by hand. */
export function clusterMirrorSpec(cluster: Cluster, standing: Standing): ClusterAdvertisementSpec {
  const { clusterId, advertisement, changedAt } = cluster
  const { clusterName, cost, endpointUrl, labels, location, visibility } = advertisement
  return {
    clusterID: clusterId,
    clusterName,
    resources: printedSupply(advertisement, standing),
    // When the facts changed: heartbeats write nothing.
    timestamp: isoOf(changedAt),
    ...(cost && { cost: printedCost(cost) }),
    ...(labels && { labels: { ...labels } }),
    ...given({ endpointURL: endpointUrl, location, visibility }),
  }
}
