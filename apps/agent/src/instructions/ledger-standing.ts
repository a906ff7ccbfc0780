import { createSignal } from '@bourse/daemon/signal'
import type { OwnAdvertisement } from '../advertisement/index.ts'
import type { StatedCondition } from '../kubernetes/kinds.ts'

/**
 * Which ledger this agent follows. `unconfirmed`: the broker answers from another ledger than that
 * of the local instructions; it may add to them, but an operator must confirm it for the rest.
 */
export type LedgerStanding =
  | Readonly<{ kind: 'unknown' }>
  | Readonly<{ kind: 'followed'; ledgerId: string; index: number }>
  /** The Go original names no ledger. */
  | Readonly<{ kind: 'unnamed' }>
  | Readonly<{ kind: 'unconfirmed'; ledgerId: string | undefined; ours: string; kept: number }>

/** On the Advertisement, by an operator: the ledger to follow from now on. */
const CONFIRM_LEDGER_ANNOTATION = 'bourse.dev/confirm-ledger'

/** The ledger that the broker answers from, followed or not. */
export function ledgerOf(standing: LedgerStanding): string | undefined {
  return 'ledgerId' in standing ? standing.ledgerId : undefined
}

/** Of both sides, the one that needs an operator first. */
export function foremostStanding(one: LedgerStanding, other: LedgerStanding): LedgerStanding {
  const urgency = { unconfirmed: 3, unknown: 2, unnamed: 1, followed: 0 } as const
  return urgency[other.kind] > urgency[one.kind] ? other : one
}

/** The condition on the Advertisement. */
export function ledgerCondition(standing: LedgerStanding): StatedCondition {
  const type = 'LedgerConfirmed'
  switch (standing.kind) {
    case 'unknown':
      return { type, status: 'Unknown', reason: 'NotHeard', message: 'No broker has answered yet' }
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
  if (ledgerId === undefined) return `The broker names no ledger: ${what} until they expire.`
  return (
    `The broker answers from ledger ${ledgerId}: ${what} until that is confirmed. If it is the ` +
    `right one, annotate this object: ${CONFIRM_LEDGER_ANNOTATION}=${ledgerId}`
  )
}

export type ConfirmedLedger = ReturnType<typeof createConfirmedLedger>

/** Which ledger an operator has confirmed, by an annotation on the Advertisement. */
export function createConfirmedLedger(own: Pick<OwnAdvertisement, 'current' | 'subscribe'>) {
  const changed = createSignal()
  let confirmed: string | undefined
  own.subscribe(() => {
    const annotation = own.current()?.metadata.annotations?.[CONFIRM_LEDGER_ANNOTATION] || undefined
    if (annotation === confirmed) return
    confirmed = annotation
    changed.tell()
  })
  return {
    current: (): string | undefined => confirmed,
    subscribe: changed.subscribe,
  }
}
