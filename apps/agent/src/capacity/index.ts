export { createAmountReader } from './amounts.ts'
export type { Borrower, BorrowersOf } from './borrowers.ts'
export { createCapacityWatcher } from './capacity-watcher.ts'
export type { LeftOut, Measurement } from './measurement.ts'
export { accountOf } from './measurement-account.ts'
export {
  DEFAULT_NODE_RULES,
  leftOutBecause,
  type NodeRules,
  type ToleratedTaint,
} from './node-rules.ts'
export { hasEnded, type NodeObject, type PodObject } from './objects.ts'
export { podRequests } from './pod-requests.ts'
export { CREATOR_LABEL, PLACEHOLDER_LABEL, PLACEHOLDER_USER } from './pod-share.ts'
export { applySharing, parseShare, SHARE_ALL, type Share, type SharingLimits } from './sharing.ts'
export { onlyOf } from './sums.ts'
export { sharingInForce } from './written-sharing.ts'
