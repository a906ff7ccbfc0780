export type { Borrower, CapacityPorts, CapacityWatcher } from './capacity-watcher.ts'
export type { LeftOut, Measurement } from './measurement.ts'
export type { NodeRules, ToleratedTaint } from './node-rules.ts'
export type { Share, SharingLimits } from './sharing-limits.ts'
