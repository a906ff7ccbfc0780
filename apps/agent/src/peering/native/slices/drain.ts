import {
  type Clock,
  ignoring,
  isBeingDeleted,
  isNotFound,
  type KubeClient,
  KubeError,
  type KubeObject,
} from '@bourse/kube'
import { hasEnded } from '../../../capacity/index.ts'
import { NODE, POD } from '../../../kubernetes/kinds.ts'
import { removeObject } from '../../../kubernetes/make-object.ts'
import type { Node } from '../liqo/resource-slice.ts'

type Ports = Readonly<{
  client: Pick<KubeClient, 'list' | 'mergePatch' | 'raw' | 'delete'>
  drainTimeoutMs: number
  clock: Pick<Clock, 'now'>
}>
type Pod = KubeObject<unknown, Readonly<{ phase?: string }>>

/** Since when, so that the deadline outlives this process. */
const SINCE_ANNOTATION = 'bourse.dev/draining-since'
const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror'

/**
 * Moves pods off a node that goes: by eviction, so that disruption budgets are respected, until the
 * deadline; what is still there then is deleted, as the node goes with or without it.
 */
export function createDrain({ client, drainTimeoutMs, clock }: Ports) {
  /** True: nothing is left to be moved. */
  return async function drain(node: Node): Promise<boolean> {
    const since = await cordon(node)
    const pods = await podsOn(node.metadata.name)
    const isLate = clock.now() - since >= drainTimeoutMs
    const staying = pods.filter((pod) => !isBeingDeleted(pod))
    for (const pod of staying) await (isLate ? removeObject(client, POD, pod.metadata) : evict(pod))
    return pods.length === 0 || (isLate && staying.length === 0)
  }

  async function cordon({ metadata, spec }: Node): Promise<number> {
    const since = Date.parse(metadata.annotations?.[SINCE_ANNOTATION] ?? '')
    if (spec?.unschedulable && !Number.isNaN(since)) return since
    const now = clock.now()
    const annotations = { [SINCE_ANNOTATION]: new Date(now).toISOString() }
    const patch = { metadata: { annotations }, spec: { unschedulable: true } }
    await ignoring(isNotFound, client.mergePatch(NODE, { name: metadata.name }, patch))
    return now
  }

  async function podsOn(node: string): Promise<readonly Pod[]> {
    const { items } = await client.list<Pod>(POD, { fieldSelector: `spec.nodeName=${node}` })
    return items.filter(isMovable)
  }

  async function evict({ metadata }: Pod): Promise<void> {
    const { name, namespace = '' } = metadata
    const path = `/api/v1/namespaces/${namespace}/pods/${name}/eviction`
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } }
    await client.raw('POST', path, body, { retry: false }).catch((thrown) => {
      // 429: a disruption budget says not now. 403: its namespace is no longer offloaded, and the
      // agent evicts nowhere else. It is asked again until the deadline.
      if (!(thrown instanceof KubeError) || ![403, 404, 429].includes(thrown.status)) throw thrown
    })
  }
}

/** A DaemonSet would put its pod back at once; a finished pod holds nothing up. */
function isMovable(pod: Pod): boolean {
  const { metadata } = pod
  const isOfDaemonSet = metadata.ownerReferences?.some(({ kind }) => kind === 'DaemonSet')
  return !isOfDaemonSet && !hasEnded(pod) && metadata.annotations?.[MIRROR_ANNOTATION] === undefined
}
