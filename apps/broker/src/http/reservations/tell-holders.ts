import type { LedgerEvent, LedgerView } from '@bourse/domain/ledger'
import type { ChangeFeed } from '../../after-commit/change-feed.ts'
import type { Committed, LedgerWriter } from '../../ledger/writer/ledger-writer.ts'
import type { NoteOf, ProviderNote } from '../../presentation/provider-notes.ts'

type Ports = Readonly<{
  writer: Pick<LedgerWriter, 'read'>
  feed: Pick<ChangeFeed, 'concern'>
  /** As of the last commit. */
  noteOf: NoteOf
  /** The clusters that have advertised so far. */
  clusterIds: readonly string[]
}>

/** Reservations looked at in one go: some milliseconds. */
const LOOKS_MAX = 5_000

/**
 * A cluster that withdraws, falls silent, comes back or moves concerns every requester with a
 * reservation there, although its event does not name them. Their long polls are woken at once,
 * while the grace still helps them.
 */
export function tellHolders({ writer, feed, noteOf, clusterIds }: Ports) {
  const known = new Map(clusterIds.map((clusterId) => [clusterId, noteOf(clusterId)]))
  const untold = new Set<string>()

  return ({ events }: Committed): void => {
    for (const event of events) compare(event)
    tellSoon()
  }

  /** If the writer cannot be read now, the next commit tries again. */
  function tellSoon(): void {
    if (untold.size > 0) writer.read(tell).catch(() => {})
  }

  function compare(event: LedgerEvent): void {
    if (!('clusterId' in event)) return
    const { clusterId } = event
    const before = known.get(clusterId)
    const now = noteOf(clusterId)
    if (event.kind === 'decommissioned') known.delete(clusterId)
    else known.set(clusterId, now)
    if (!before || !isSame(before, now)) untold.add(clusterId)
  }

  /** After an outage all clusters may be silent at once: others have their turn in between. */
  function tell(view: LedgerView, index: number): void {
    let looked = 0
    for (const clusterId of untold) {
      if (looked >= LOOKS_MAX) break
      const holders = new Set<string>()
      for (const { requester } of view.heldOn(clusterId)) {
        holders.add(requester)
        looked++
      }
      untold.delete(clusterId)
      if (holders.size > 0) feed.concern(clusterId, holders, index)
    }
    if (untold.size > 0) setImmediate(tellSoon)
  }
}

function isSame(one: ProviderNote, other: ProviderNote): boolean {
  return (
    one.isStale === other.isStale &&
    one.withdrawnAt === other.withdrawnAt &&
    one.endpointUrl === other.endpointUrl
  )
}
