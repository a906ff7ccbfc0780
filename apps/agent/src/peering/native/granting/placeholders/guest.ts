import type { Resources } from '@bourse/domain/quantity'
import { isBeingDeleted, type ObjectMeta } from '@bourse/kube'
import { CREATOR_LABEL, type PodObject } from '../../../../capacity/index.ts'
import { requestsOf } from './placeholder-pod.ts'

/** All that is kept of an offloaded pod: a provider may have thousands. */
export type Guest = Readonly<{
  metadata: Pick<ObjectMeta, 'name' | 'namespace' | 'uid'>
  /** Its creator, by Liqo's webhook. */
  user: string | undefined
  node: string | undefined
  /** It is on a node, or one is kept for it. */
  hasPlace: boolean
  /** The scheduler has tried, and found none. */
  isRefused: boolean
  isLeaving: boolean
  requests: Resources
}>

export function guestOf(pod: PodObject): Guest {
  const { name, namespace, uid, labels } = pod.metadata
  const node = pod.spec?.nodeName
  const hasPlace = node !== undefined || pod.status?.nominatedNodeName !== undefined
  const isLeaving = isBeingDeleted(pod)
  return {
    metadata: { name, ...(namespace && { namespace }), ...(uid && { uid }) },
    user: labels?.[CREATOR_LABEL],
    node,
    hasPlace,
    isRefused: !hasPlace && !isLeaving && isUnschedulable(pod),
    isLeaving,
    requests: requestsOf(pod),
  }
}

function isUnschedulable({ status }: PodObject): boolean {
  const said = status?.conditions?.find(({ type }) => type === 'PodScheduled')
  return said?.reason === 'Unschedulable'
}
