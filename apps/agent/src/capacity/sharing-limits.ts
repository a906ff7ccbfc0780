import type { Resources } from '@bourse/domain/quantity'

/** How much of the cluster may be lent; `nothing`: it only borrows. */
export type Share = Readonly<
  | { kind: 'all' }
  | { kind: 'percentage'; percent: number }
  | { kind: 'amount'; amount: Resources }
  | { kind: 'nothing' }
>

export type SharingLimits = Readonly<{
  share: Share
  /** Stays free for the cluster's own pods, whatever else is lent. */
  keepBack: Resources
}>
