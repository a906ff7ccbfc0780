import { PEERING_STEPS_OF } from '@bourse/contract/peering-steps'
import type { LedgerEvent } from '@bourse/domain/ledger'

const DAY_MS = 86_400_000
/** Clusters remembered; beyond this those who have their whole budget are forgotten. */
const CLUSTERS_MAX = 50_000

type Spent = { bytes: number; at: number }
type Published = Readonly<{ events: readonly LedgerEvent[]; text: string }>

export type JournalBudget = ReturnType<typeof createJournalBudget>

/**
 * How much each cluster has lately made the journal grow. A whole day's bytes may be written at
 * once; they come back evenly over a day. Counted in memory: a restart forgives.
 */
export function createJournalBudget(bytesPerDay: number, now: () => number) {
  const spent = new Map<string, Spent>()

  return { follow, waitSeconds }

  /** For the writer's `subscribe`. */
  function follow({ events, text }: Published): void {
    if (bytesPerDay === 0) return
    // A line for each event, after the first.
    let start = text.indexOf('\n') + 1
    for (const event of events) {
      const newline = text.indexOf('\n', start)
      const end = newline === -1 ? text.length : newline
      const writer = writerOf(event)
      if (writer !== undefined) add(writer, end - start)
      start = end + 1
    }
  }

  function add(clusterId: string, bytes: number): void {
    const entry = spent.get(clusterId)
    if (entry) {
      entry.bytes = left(entry) + bytes
      entry.at = now()
      return
    }
    if (spent.size >= CLUSTERS_MAX) forgetPaid()
    spent.set(clusterId, { bytes, at: now() })
  }

  /** What of it has not come back yet. */
  function left({ bytes, at }: Spent): number {
    return Math.max(0, bytes - ((now() - at) * bytesPerDay) / DAY_MS)
  }

  function forgetPaid(): void {
    for (const [clusterId, entry] of spent) if (left(entry) === 0) spent.delete(clusterId)
  }

  /** Until a cluster may write again; undefined while it may. */
  function waitSeconds(clusterId: string): number | undefined {
    const entry = spent.get(clusterId)
    if (!entry) return undefined
    const excess = left(entry) - bytesPerDay
    return excess > 0 ? Math.ceil((excess * DAY_MS) / bytesPerDay / 1_000) : undefined
  }
}

/** Whose request an event follows; undefined for what the broker does by itself. */
function writerOf(event: LedgerEvent): string | undefined {
  if (event.kind === 'advertised') return event.clusterId
  if ('reservation' in event) return event.reservation.requester
  if (event.kind === 'peeringOpened') return event.requester
  if (event.kind === 'peeringTroubled') return event[event.role]
  if (event.kind !== 'peeringPosted') return undefined
  return PEERING_STEPS_OF.requester.includes(event.step) ? event.requester : event.provider
}
