import type { Offload } from '@bourse/contract/kinds'
import {
  ignoring,
  isBeingDeleted,
  isNotFound,
  isSameJson,
  type Kind,
  type KubeClient,
  type KubeObject,
} from '@bourse/kube'
import { hasEnded, type PodObject } from '../../../capacity/index.ts'
import { NAMESPACE, POD } from '../../../kubernetes/kinds.ts'
import { makeObject, removeObject } from '../../../kubernetes/make-object.ts'
import type { BorrowedReservation, Progress } from '../../port/peering.ts'
import { LABEL, LIQO, MANAGED_BY } from '../liqo/liqo-kinds.ts'
import type { LiqoObjects } from '../liqo/liqo-objects.ts'
import {
  clustersIn,
  isOurs,
  type NamespaceOffloading,
  type Need,
  namespaceOffloading,
  needsIn,
  OFFLOADING_NAME,
  type Wanted,
} from '../liqo/namespace-offloading.ts'
import { sliceName } from '../liqo/resource-slice.ts'
import { withNeed, withoutCluster, withoutNeed } from './needs.ts'
import { offloadingStep, type Seen } from './offloading-step.ts'

type Ports = Readonly<{
  client: KubeClient
  objects: Pick<LiqoObjects, 'namespaceOffloading' | 'nodes' | 'slice'>
}>

/** Namespaces are not watched. */
const LOOK_AGAIN_MS = 10_000

/**
 * One NamespaceOffloading a namespace, shared by all reservations that name it:
 * ```
 *   node ready ─► namespace noted for the reservation, its cluster selected ─► Liqo makes it there
 *   drained ─► note gone ─► cluster no longer selected, unless others need it or pods run there
 *                       └─► last one: deleted, and with it the remote namespace
 * ```
 */
export function createOffloading({ client, objects }: Ports) {
  /** By reservation, to notify those that wait for a namespace. */
  const asked = new Map<string, readonly string[]>()

  return {
    async offload(reservation: BorrowedReservation, { liqoId }: Readonly<{ liqoId: string }>) {
      const { id, provider, offload } = reservation
      if (!offload) return { steps: [], isDone: true } satisfies Progress
      const namespaces = await namespacesOf(offload)
      asked.set(id, namespaces)
      const need = { cluster: liqoId, strategy: offload.strategy }
      const seen: Seen[] = []
      for (const namespace of namespaces) seen.push(await ensure(namespace, id, need))
      const step = offloadingStep(seen, { provider, need, pin: pinOf(id) })
      const isAwaited = offload.selector !== undefined || seen.some(({ isGone }) => isGone)
      return {
        steps: [step],
        isDone: step.status === 'True',
        ...(isAwaited && { againAfterMs: LOOK_AGAIN_MS }),
      } satisfies Progress
    },
    /** Once the pods have left its node; what others need, or still use, stays. May be repeated. */
    async unoffload(id: string): Promise<void> {
      asked.delete(id)
      for (const object of await ours()) if (!isBeingDeleted(object)) await leave(object, id)
    },
    /**
     * Nothing is borrowed from this cluster any more: removes its needs everywhere. Returns since
     * when Liqo has been removing the objects that still exist.
     */
    async sweep(cluster: string): Promise<readonly string[]> {
      const isAbout = (object: NamespaceOffloading) =>
        clustersIn(object).includes(cluster) ||
        Object.values(needsIn(object)).some((need) => need.cluster === cluster)
      for (const object of (await ours()).filter(isAbout)) {
        if (isBeingDeleted(object)) continue
        const busy = await busyIn(object.metadata.namespace ?? '')
        await write(object, withoutCluster(object, cluster, busy))
      }
      const left = (await ours()).filter(isAbout)
      return left.flatMap(({ metadata }) => metadata.deletionTimestamp ?? [])
    },
    /** The reservations that wait for, or use, this namespace. */
    concernedBy: (namespace: string): readonly string[] =>
      [...asked].filter(([, names]) => names.includes(namespace)).map(([id]) => id),
  }

  /** A provider with an agent puts its label on the node; Liqo alone puts only the node's name. */
  function pinOf(id: string): readonly [string, string] {
    const name = sliceName(id)
    const node = objects.nodes().find(({ metadata }) => metadata.name === name)
    const isLabelled = node?.metadata.labels?.[LABEL.reservation] === id
    return isLabelled ? [LABEL.reservation, id] : ['kubernetes.io/hostname', name]
  }

  async function namespacesOf({ namespaces = [], selector }: Offload): Promise<readonly string[]> {
    if (!selector) return namespaces
    const terms = Object.entries(selector.matchLabels).map(([name, value]) => `${name}=${value}`)
    const { items } = await client.list(NAMESPACE, { labelSelector: terms.join(',') })
    const found = items.filter((one) => !isBeingDeleted(one)).map(({ metadata }) => metadata.name)
    return [...new Set([...namespaces, ...found])].sort()
  }

  async function ensure(namespace: string, id: string, need: Need): Promise<Seen> {
    const known = objects.namespaceOffloading(namespace)
    if (known && serves(known, id, need)) return { namespace, object: known }
    const place = await find(NAMESPACE, { name: namespace })
    if (!place || isBeingDeleted(place)) return { namespace, isGone: true }
    const ref = { name: OFFLOADING_NAME, namespace }
    const fresh = namespaceOffloading(namespace, withNeed(undefined, id, need))
    // Another reservation may be faster, and make it: then ours is added to that.
    const found =
      (await find<NamespaceOffloading>(LIQO.namespaceOffloading, ref)) ??
      (await makeObject(client, LIQO.namespaceOffloading, fresh))
    if (serves(found, id, need)) return { namespace, object: found }
    // With the version that was read: two reservations may note themselves at the same moment.
    const wanted = namespaceOffloading(namespace, withNeed(found, id, need), found)
    const object = await client.replace<NamespaceOffloading>(LIQO.namespaceOffloading, wanted)
    return { namespace, object }
  }

  /** Nothing is, or may be, written. */
  function serves(object: NamespaceOffloading, id: string, need: Need): boolean {
    if (!isOurs(object) || isBeingDeleted(object)) return true
    const { namespace = '' } = object.metadata
    const { spec, metadata } = namespaceOffloading(namespace, withNeed(object, id, need), object)
    return isSameJson(object.spec, spec) && isSameJson(object.metadata, metadata)
  }

  async function ours(): Promise<readonly NamespaceOffloading[]> {
    const labelSelector = `${LABEL.managedBy}=${MANAGED_BY}`
    // Not from the watch: it may not know yet what was written last.
    const listed = await client.list<NamespaceOffloading>(LIQO.namespaceOffloading, {
      labelSelector,
    })
    return listed.items
  }

  async function leave(object: NamespaceOffloading, id: string): Promise<void> {
    const busy = await busyIn(object.metadata.namespace ?? '', sliceName(id))
    const isThere = (other: string) => objects.slice(sliceName(other)) !== undefined
    await write(object, withoutNeed(object, id, { isThere, busy }))
  }

  async function write(object: NamespaceOffloading, wanted: Wanted | undefined): Promise<void> {
    const { namespace = '', uid, resourceVersion } = object.metadata
    if (!wanted) {
      // Another reservation may have been added since: then retry.
      const preconditions = { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) }
      return removeObject(client, LIQO.namespaceOffloading, object.metadata, { preconditions })
    }
    const next = namespaceOffloading(namespace, wanted, object)
    const isSame = isSameJson(next.spec, object.spec) && isSameJson(needsIn(next), needsIn(object))
    if (!isSame)
      await client.replace<NamespaceOffloading>(LIQO.namespaceOffloading, {
        ...next,
        ...(object.status && { status: object.status }),
      })
  }

  /** The clusters on whose nodes pods of this namespace run, but for the node that goes. */
  async function busyIn(namespace: string, leaving?: string): Promise<string[]> {
    const { items } = await client.list<PodObject>(POD, { namespace })
    const running = items.filter((pod) => !hasEnded(pod) && !isBeingDeleted(pod))
    const used = new Set(running.map(({ spec }) => spec?.nodeName))
    return objects
      .nodes()
      .filter(({ metadata }) => metadata.name !== leaving && used.has(metadata.name))
      .flatMap(({ metadata }) => metadata.labels?.[LABEL.remote] ?? [])
  }

  async function find<T extends KubeObject>(
    kind: Kind,
    { name, namespace }: Readonly<{ name: string; namespace?: string }>,
  ): Promise<T | undefined> {
    return ignoring(isNotFound, client.get<T>(kind, name, namespace))
  }
}
