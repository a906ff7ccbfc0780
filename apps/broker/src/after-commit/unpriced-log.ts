import type { LedgerEvent, LedgerView } from '@bourse/domain/ledger'
import type { Logger } from 'pino'
import { type LedgerWriter, WriterUnavailable } from '../ledger/writer/ledger-writer.ts'

type Ports = Readonly<{
  writer: Pick<LedgerWriter, 'read' | 'subscribe'>
  currency: string
  log: Pick<Logger, 'warn'>
}>

/** A line names so many clusters and counts the others. */
const NAMED_MAX = 5

/** Says once of each cluster that its prices do not count, and again when rates have changed. */
export function createUnpricedLog({ writer, currency, log }: Ports) {
  const said = new Set<string>()
  writer.subscribe(({ events }) => {
    const news = events.filter(isForeign).map(({ clusterId }) => clusterId)
    if (news.length > 0) look(() => news)
    for (const event of events) if (event.kind === 'decommissioned') said.delete(event.clusterId)
  })

  return function ratesChanged(): void {
    said.clear()
    look((view) => Array.from(view.clusters(), ({ clusterId }) => clusterId))
  }

  function isForeign(event: LedgerEvent): event is Extract<LedgerEvent, { kind: 'advertised' }> {
    if (event.kind !== 'advertised' || said.has(event.clusterId)) return false
    const { cost } = event.advertisement
    return cost !== undefined && cost.currency !== currency
  }

  function look(idsIn: (view: LedgerView) => readonly string[]): void {
    writer.read((view) => say(view, idsIn(view))).catch(missNone)
  }

  function say(view: LedgerView, clusterIds: readonly string[]): void {
    const byReason = new Map<string, string[]>()
    for (const clusterId of clusterIds) {
      const why = view.standing(clusterId)?.unpriced
      if (why === undefined || said.has(clusterId)) continue
      said.add(clusterId)
      byReason.set(why, [...(byReason.get(why) ?? []), clusterId])
    }
    for (const [why, ids] of byReason)
      log.warn({ count: ids.length, clusters: ids.slice(0, NAMED_MAX) }, `${why}; see --rates`)
  }
}

/** While nothing can be read the journal is in trouble, which is said louder than this. */
function missNone(thrown: unknown): void {
  if (!(thrown instanceof WriterUnavailable)) throw thrown
}
