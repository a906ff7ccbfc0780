/** A taint that borrowers' pods are known to tolerate; without value or effect: any. */
export type ToleratedTaint = Readonly<{ key: string; value?: string; effect?: string }>

/** Which nodes count, beyond what holds for all: Ready, not cordoned, not virtual. */
export type NodeRules = Readonly<{
  /** `by-taint`: as every other node; their taint keeps most of them out. */
  controlPlaneNodes: 'by-taint' | 'count' | 'leave-out'
  toleratedTaints: readonly ToleratedTaint[]
}>
