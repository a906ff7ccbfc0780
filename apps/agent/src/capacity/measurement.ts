import type { Resources } from '@bourse/domain/quantity'

/** Why a node is not counted. */
export type LeftOut = 'VirtualNode' | 'ControlPlane' | 'NotReady' | 'Cordoned' | 'Tainted'

/** What a cluster has, all of it taken at one moment. Sharing limits are not yet in it. */
export type Measurement = Readonly<{
  /** Of the counted nodes, as all that follows. */
  capacity: Resources
  allocatable: Resources
  /** Allocatable less what the scheduler could still place, node by node; used is in it. */
  allocated: Resources
  /** The most of each resource that is free on a single node. */
  largestFit: Resources
  /** By reservation id: what the pods that run for it take. */
  used: ReadonlyMap<string, Resources>
  /** Allocatable GPUs by the model that their node's labels name. */
  gpuModels: Readonly<Record<string, number>>
  nodes: number
  nodesLeftOut: Readonly<Partial<Record<LeftOut, number>>>
  /** Sentences for the operator: what could not be read, and how it was counted. */
  problems: readonly string[]
}>
