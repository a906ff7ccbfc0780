import type { KubeObject } from '@bourse/kube'

// What is read of nodes and pods. The API server keeps to its schema, but a decoder must not fall
// over what another version adds or leaves out.

/** Quantities by resource name, as the API server prints them. */
export type Written = Readonly<Record<string, string | number>>

export type Taint = Readonly<{ key: string; value?: string; effect: string }>
type Condition = Readonly<{ type: string; status: string; reason?: string }>

export type NodeObject = KubeObject<
  Readonly<{ unschedulable?: boolean; taints?: readonly Taint[] }>,
  Readonly<{ capacity?: Written; allocatable?: Written; conditions?: readonly Condition[] }>
>

type Requirements = Readonly<{ requests?: Written }>

export type Container = Readonly<{
  name: string
  resources?: Requirements
  restartPolicy?: string
}>

export type ContainerStatus = Readonly<{
  name: string
  resources?: Requirements
  allocatedResources?: Written
}>

export type PodObject = KubeObject<
  Readonly<{
    nodeName?: string
    containers?: readonly Container[]
    initContainers?: readonly Container[]
    overhead?: Written
    resources?: Requirements
  }>,
  Readonly<{
    phase?: string
    nominatedNodeName?: string
    conditions?: readonly Condition[]
    containerStatuses?: readonly ContainerStatus[]
    initContainerStatuses?: readonly ContainerStatus[]
    resources?: Requirements
    allocatedResources?: Written
    nodeAllocatableResourceClaimStatuses?: readonly Readonly<{ resources?: Written }>[]
  }>
>

/** A finished pod takes nothing of its node. */
export function hasEnded({ status }: KubeObject<unknown, Readonly<{ phase?: string }>>): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed'
}
