import { hiddenFrom, type LedgerView } from '@bourse/domain/ledger'
import type { IsHidden } from '@bourse/domain/placement'

type Reader = Readonly<{ id: string; isOperator: boolean }>

/** The clusters whose numbers this reader sees rounded; undefined: none, as for operators. */
export function hiddenFor({ id, isOperator }: Reader, view: LedgerView): IsHidden | undefined {
  return isOperator ? undefined : hiddenFrom(id, view)
}

/** Operators see all numbers; others their own and those of providers that show theirs. */
export function numbersFor(reader: Reader, view: LedgerView) {
  const isHidden = hiddenFor(reader, view)
  return (clusterId: string): boolean => !isHidden?.(clusterId)
}
