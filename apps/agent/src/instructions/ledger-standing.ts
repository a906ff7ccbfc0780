import type { Condition } from '@bourse/kube'

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

/** On the Advertisement, by an operator: the ledger to believe although it is another one. */
export const CONFIRM_LEDGER_ANNOTATION = 'bourse.dev/confirm-ledger'

/** The ledger that the broker answers from, whether it is believed or not. */
export function ledgerOf(standing: LedgerStanding): string | undefined {
  return 'ledgerId' in standing ? standing.ledgerId : undefined
}

/** Of both sides the one that an operator must hear of first. */
export function foremostStanding(one: LedgerStanding, other: LedgerStanding): LedgerStanding {
  const urgency = { unconfirmed: 3, unknown: 2, unnamed: 1, followed: 0 } as const
  return urgency[other.kind] > urgency[one.kind] ? other : one
}

/** The condition of the Advertisement that says so. */
export function ledgerCondition(
  standing: LedgerStanding,
): Pick<Condition, 'type' | 'status' | 'reason' | 'message'> {
  const type = 'LedgerConfirmed'
  switch (standing.kind) {
    case 'unknown':
      return { type, status: 'Unknown', reason: 'NotHeard', message: 'No broker answered yet' }
    case 'unnamed':
      return { type, status: 'True', reason: 'Unnamed', message: 'This broker names no ledger' }
    case 'followed':
      return { type, status: 'True', reason: 'Followed', message: `Follows ${standing.ledgerId}` }
    case 'unconfirmed':
      return { type, status: 'False', reason: 'OtherLedger', message: otherLedger(standing) }
  }
}

type Unconfirmed = Extract<LedgerStanding, { kind: 'unconfirmed' }>

function otherLedger({ ledgerId, ours, kept }: Unconfirmed): string {
  const what = `${kept} instruction${kept === 1 ? '' : 's'} of ledger ${ours} stay${kept === 1 ? 's' : ''}`
  if (ledgerId === undefined)
    return `The broker names no ledger: ${what} as they are until their time is over.`
  return (
    `The broker answers from ledger ${ledgerId}: ${what} until that is confirmed. If it is the ` +
    `right one, annotate this object: ${CONFIRM_LEDGER_ANNOTATION}=${ledgerId}`
  )
}
