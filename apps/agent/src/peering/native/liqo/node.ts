import type { Condition, KubeObject } from '@bourse/kube'
import type { Quantities } from './resource-slice.ts'

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
