import type { ChangeFeed } from '../after-commit/change-feed.ts'
import type { Committed, LedgerWriter } from '../ledger/ledger-writer.ts'

type Ports = Readonly<{ writer: Pick<LedgerWriter, 'read'>; feed: Pick<ChangeFeed, 'concern'> }>

/**
 * A cluster that withdraws, or opens again, concerns everybody who holds something there, though
 * its event names nobody. They hear of it at once, while the grace still helps them.
 */
export function tellHolders({ writer, feed }: Ports) {
  return ({ events }: Committed): void => {
    // Whoever holds something of a cordoned cluster keeps it.
    for (const event of events)
      if (event.kind === 'acceptingChanged' && event.accepting !== 'cordoned') tell(event.clusterId)
  }

  function tell(clusterId: string): void {
    const told = writer.read((view, index) => {
      for (const reservation of view.heldOn(clusterId)) feed.concern(reservation, index)
    })
    // A writer that cannot be read now has ended every wait, or tells them all when it can again.
    told.catch(() => {})
  }
}
