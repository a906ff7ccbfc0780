import type { LedgerEvent } from '@bourse/domain/ledger'
import type { Committed } from '../ledger/ledger-writer.ts'

export type Kept = Readonly<{ index: number; event: LedgerEvent }>

/** Events kept for streams that reconnect: a second at full load, hours otherwise. Some MB. */
const EVENTS_MAX = 2_000

/** The latest committed events, and who wants to hear of the next ones. */
export function createEventRing(startIndex: number) {
  let kept: Kept[] = []
  let floor = startIndex
  const listeners = new Set<(news: readonly Kept[]) => void>()

  function publish({ index, events }: Committed): void {
    const news = events.map((event) => ({ index, event }))
    if (news.length === 0) return
    for (const one of news) kept.push(one)
    // Cut in large pieces: moving ten thousand entries for each event would cost more than them.
    if (kept.length > 2 * EVENTS_MAX) {
      kept = kept.slice(-EVENTS_MAX)
      // The oldest batch may be cut in two: what begins after it is complete.
      floor = kept[0]?.index ?? floor
    }
    for (const listener of listeners) listener(news)
  }

  /** Everything after an index; undefined when some of it is gone. */
  function since(index: number): readonly Kept[] | undefined {
    if (index < floor) return undefined
    let from = kept.length
    while (from > 0 && (kept[from - 1]?.index ?? 0) > index) from -= 1
    return kept.slice(from)
  }

  function listen(listener: (news: readonly Kept[]) => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  return { publish, since, listen }
}

export type EventRing = ReturnType<typeof createEventRing>
