import type { IsHidden } from '../placement/index.ts'
import type { LedgerView } from './ledger.ts'

/** Whose numbers are not for a cluster: all but its own, and those of clusters that show theirs. */
export function hiddenFrom(reader: string, view: Pick<LedgerView, 'cluster'>): IsHidden {
  return (clusterId) =>
    clusterId !== reader && view.cluster(clusterId)?.advertisement.visibility !== 'full'
}
