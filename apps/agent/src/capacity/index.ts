export type { Borrower, BorrowersOf } from './borrowers.ts'
export {
  type CapacityPorts,
  type CapacityWatcher,
  createCapacityWatcher,
} from './capacity-watcher.ts'
export type { LeftOut, Measurement } from './measurement.ts'
export { accountOf } from './measurement-account.ts'
export { DEFAULT_NODE_RULES, type NodeRules, type ToleratedTaint } from './node-rules.ts'
export { applySharing, SHARE_ALL, type Share, type SharingLimits } from './sharing.ts'
