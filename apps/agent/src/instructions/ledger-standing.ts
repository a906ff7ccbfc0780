/**
 * Whose word counts here. `unconfirmed`: the broker answers from another ledger than the one that
 * the local instructions are of; it may add to them, and an operator decides about the rest.
 */
export type LedgerStanding =
  | Readonly<{ kind: 'unknown' }>
  | Readonly<{ kind: 'followed'; ledgerId: string; index: number }>
  /** A broker of the Go original's make, which has no ledger to name. */
  | Readonly<{ kind: 'unnamed' }>
  | Readonly<{ kind: 'unconfirmed'; ledgerId: string | undefined; ours: string; kept: number }>
