import { createHash } from 'node:crypto'
import { amountOf, formatAmount, type Resources } from '@bourse/domain/quantity'
import { apiVersionOf, type Condition, type KubeObject } from '@bourse/kube'
import { LABEL, LIQO } from './liqo-kinds.ts'

export type SliceCondition = Readonly<{
  type: 'Authentication' | 'Resources'
  status: 'Accepted' | 'Denied' | ''
  reason?: string
  message?: string
  lastTransitionTime?: string
}>

export type Quantities = Readonly<Record<string, string>>

export type ResourceSlice = KubeObject<
  Readonly<{
    class: string
    providerClusterID?: string
    consumerClusterID?: string
    resources?: Quantities
    csr?: string
  }>,
  Readonly<{
    conditions?: readonly SliceCondition[]
    resources?: Quantities
    nodeLabels?: Readonly<Record<string, string>>
    [field: string]: unknown
  }>
>

/** The slice, its VirtualNode and its Node all have this name. */
export function sliceName(reservationId: string): string {
  return `${PREFIX}${reservationId}`
}

/** The reservation that a slice was made for, if it is one of ours. */
export function reservationOf(name: string): string | undefined {
  return name.startsWith(PREFIX) ? name.slice(PREFIX.length) : undefined
}

/** With Liqo's hash behind it, it still has to fit in a label. */
export function isSliceName(name: string): boolean {
  return name.length <= NAME_LENGTH_MAX && DNS_LABEL.test(name)
}

const PREFIX = 'res-'
const NAME_LENGTH_MAX = 50
const DNS_LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/

type Wanted = Readonly<{
  reservation: string
  namespace: string
  peer: string
  liqoId: string
  sliceClass: string
  resources: Quantities
}>

/** Asks the provider, by way of Liqo, for a node of this size. */
export function resourceSlice(wanted: Wanted): ResourceSlice {
  const { reservation, namespace, peer, liqoId, sliceClass, resources } = wanted
  return {
    apiVersion: apiVersionOf(LIQO.resourceSlice),
    kind: LIQO.resourceSlice.kind,
    metadata: {
      name: sliceName(reservation),
      namespace,
      labels: {
        [LABEL.replication]: 'true',
        [LABEL.destination]: liqoId,
        [LABEL.remote]: liqoId,
        [LABEL.reservation]: reservation,
        [LABEL.peer]: peer,
      },
      annotations: { 'liqo.io/create-virtual-node': 'true' },
    },
    spec: { class: sliceClass, providerClusterID: liqoId, resources },
  }
}

export function sliceCondition(
  { status }: ResourceSlice,
  type: SliceCondition['type'],
): SliceCondition | undefined {
  return status?.conditions?.find((one) => one.type === type)
}

/**
 * `2 of 500 cpu`, for everything of which less is granted than asked for. A provider says it so
 * when it caps a slice, and the requester knows by it which of its askings was answered: Liqo
 * carries back no more than the provider's words. So they are exact, and the same in all versions.
 */
export function shortagesOf(granted: Resources, asked: Resources): string[] {
  return Object.keys(asked)
    .filter((name) => amountOf(asked, name) > amountOf(granted, name))
    .map((name) => {
      const given = formatAmount(name, amountOf(granted, name))
      return `${given} of ${formatAmount(name, amountOf(asked, name))} ${name}`
    })
}

/** Liqo: the first six bytes, in hex. */
const MARK_LENGTH = 12

/**
 * Whom Liqo lets in with the certificate of a slice: the name of its Quota, and the creator that
 * its webhook stamps on every offloaded pod.
 */
export function sliceUserOf(slice: string, consumerLiqoId: string): string {
  return `${slice}-${liqoIdHash(consumerLiqoId)}`
}

export function liqoIdHash(liqoId: string): string {
  return createHash('sha256').update(liqoId).digest('hex').slice(0, MARK_LENGTH)
}

/** What Liqo makes of an accepted slice: a virtual-kubelet that shows a Node of its name. */
export type VirtualNode = KubeObject<
  Readonly<{ clusterID?: string; resourceQuota?: Readonly<{ hard?: Quantities }> }>,
  Readonly<{
    conditions?: readonly Readonly<{ type: string; status: string; message?: string }>[]
  }>
>

export type Node = KubeObject<
  Readonly<{ unschedulable?: boolean }>,
  Readonly<{ allocatable?: Quantities; conditions?: readonly Condition[] }>
>
