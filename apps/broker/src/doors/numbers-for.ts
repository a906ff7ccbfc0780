import type { LedgerView } from '@bourse/domain/ledger'

/** Operators see all numbers; others their own and those of providers that show theirs. */
export function numbersFor(
  { id, isOperator }: Readonly<{ id: string; isOperator: boolean }>,
  view: LedgerView,
) {
  return (clusterId: string): boolean =>
    isOperator || clusterId === id || view.cluster(clusterId)?.advertisement.visibility === 'full'
}
