import {
  type Clock,
  ignoring,
  isBeingDeleted,
  isForbidden,
  isNotFound,
  type Kind,
  type KubeClient,
  LEASE,
  removeFinalizer,
} from '@bourse/kube'
import { NODE, POD } from '../../../kubernetes/kinds.ts'
import { removeObject } from '../../../kubernetes/make-object.ts'
import { type Progress, waiting } from '../../port/peering.ts'
import { isWrittenOff, writeOff } from '../liqo/foreign-cluster.ts'
import { LABEL, LIQO, VIRTUAL_NODE_TYPE } from '../liqo/liqo-kinds.ts'
import type { LiqoObjects } from '../liqo/liqo-objects.ts'
import type { Node, ResourceSlice, VirtualNode } from '../liqo/resource-slice.ts'

type Ports = Readonly<{
  client: KubeClient
  objects: LiqoObjects
  drain(node: Node): Promise<boolean>
  /** Between the last pod of a node and its slice; may be told more than once. */
  emptied(name: string): Promise<void>
  graceMs: number
  clock: Pick<Clock, 'now'>
}>

const REPLICATOR_FINALIZER = 'crdreplicator.liqo.io/resource'
/** While nothing tells that a pod has gone. */
const AGAIN_MS = 500
/** All of one name, and by the labels by which they are watched. */
const MADE: readonly (readonly [Kind, string?])[] = [
  [LIQO.resourceSlice, `${LABEL.replication}=true`],
  [LIQO.virtualNode],
  [NODE, `${LABEL.nodeType}=${VIRTUAL_NODE_TYPE}`],
]

/**
 * ```
 *   node cordoned ─► pods moved ─► namespaces unoffloaded ─► slice deleted ─► copy gone there
 *                          ┌─ provider silent too long: given up as lost ─┘       │
 *                          └──────────────► VirtualNode ─► Node gone ◄──────────────┘
 * ```
 */
export function createLeavingSlice(ports: Ports) {
  const { client, objects, drain, emptied, graceMs, clock } = ports
  return async function leave(name: string, slice: ResourceSlice | undefined): Promise<Progress> {
    // A watch that was refused once says so until it starts again.
    if (objects.isAbsent() && !(await isThere(name))) return { steps: [], isDone: true }
    if (objects.missing() !== undefined) return going('Liqo is not known yet')
    const [virtualNode, node] = [objects.virtualNode(name), objects.node(name)]
    if (slice && !isBeingDeleted(slice)) {
      if (node && !(await drain(node))) return going(`Pods are being moved off node ${name}`)
      await emptied(name)
      await removeObject(client, LIQO.resourceSlice, slice.metadata)
    } else if (slice) await press(slice, node)
    else if (virtualNode && !isBeingDeleted(virtualNode))
      // Kubernetes would collect it as well, but takes its time.
      await removeObject(client, LIQO.virtualNode, virtualNode.metadata)
    else if (!virtualNode && node) await removeObject(client, NODE, { name })
    else if (!virtualNode) {
      if (await isThere(name)) return going(`${name} still exists`)
      // Again: a user may have deleted the slice before us.
      await emptied(name)
      await removeLeases(name)
      return { steps: [], isDone: true }
    } else if (node && isForsaken(virtualNode)) await forcePods(name)
    return going(`Liqo is removing ${name}`)
  }

  /**
   * Lists instead of using the watch, which may be behind: this is the last check. In the order in
   * which one object leads to the next.
   */
  async function isThere(name: string): Promise<boolean> {
    const fieldSelector = `metadata.name=${name}`
    for (const [kind, labelSelector] of MADE) {
      // Without Liqo the kind is not served.
      const listed = await ignoring(isNotFound, client.list(kind, { fieldSelector, labelSelector }))
      if (listed && listed.items.length > 0) return true
    }
    return false
  }

  /** A provider that is gone for good must not keep our own objects for ever. */
  async function press(slice: ResourceSlice, node: Node | undefined): Promise<void> {
    const waitedMs = clock.now() - Date.parse(slice.metadata.deletionTimestamp ?? '')
    if (!(waitedMs > graceMs)) return
    await writeOff({ client, objects }, slice.metadata.labels?.[LABEL.remote] ?? '')
    if (!(waitedMs > 2 * graceMs)) return
    if (node) await forcePods(node.metadata.name)
    await removeFinalizer({ client, kind: LIQO.resourceSlice }, slice, REPLICATOR_FINALIZER)
  }

  /** Liqo waits for its last pod without limit. */
  function isForsaken({ spec }: VirtualNode): boolean {
    const known = objects.foreignCluster(spec?.clusterID ?? '')
    return known !== undefined && isWrittenOff(known)
  }

  /** A kubelet leaves its Lease in the tenant namespace, and Liqo does, too. */
  async function removeLeases(name: string): Promise<void> {
    const removed = client
      .list(LEASE, { fieldSelector: `metadata.name=${name}` })
      .then((found) =>
        Promise.all(found.items.map(({ metadata }) => removeObject(client, LEASE, metadata))),
      )
    // Without the right, which comes with its admission policy, they stay.
    await ignoring(isForbidden, removed)
  }

  /** Their kubelet can no longer confirm that they have stopped. */
  async function forcePods(node: string): Promise<void> {
    const { items } = await client.list(POD, { fieldSelector: `spec.nodeName=${node}` })
    for (const { metadata } of items)
      await removeObject(client, POD, metadata, { gracePeriodSeconds: 0 })
  }
}

export function going(message: string): Progress {
  const steps = [waiting('NodeReady', 'GivingBack', message)]
  return { steps, isDone: false, againAfterMs: AGAIN_MS }
}
