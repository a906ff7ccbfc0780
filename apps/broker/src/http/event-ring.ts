import type { LedgerEvent } from '@bourse/domain/ledger'
import { eventsIn } from '../journal/batch.ts'
import type { Published } from '../ledger/ledger-writer.ts'

export type Kept = Readonly<{ index: number; event: LedgerEvent }>

/** Events kept for streams that reconnect: a second at full load, hours otherwise. Some MB. */
const EVENTS_MAX = 2_000

/** The latest committed events, and who wants to hear of the next ones. */
export function createEventRing(startIndex: number) {
  /**
   * As the journal has them, to be read by the few who come back: thousands of events that live
   * for half a second would cost the collector more than all else of a reservation.
   */
  let kept: Readonly<{ index: number; text: string; count: number }>[] = []
  let keptCount = 0
  let floor = startIndex
  const listeners = new Set<(news: readonly Kept[]) => void>()

  return { publish, since, listen }

  function publish({ index, events, text }: Published): void {
    if (events.length === 0) return
    kept.push({ index, text, count: events.length })
    keptCount += events.length
    // Cut in large pieces: moving thousands of entries for each batch would cost more than them.
    if (keptCount > 2 * EVENTS_MAX) letGo()
    if (listeners.size === 0) return
    const news = events.map((event) => ({ index, event }))
    for (const listener of listeners) listener(news)
  }

  function letGo(): void {
    let gone = 0
    for (; keptCount > EVENTS_MAX && gone < kept.length - 1; gone += 1)
      keptCount -= kept[gone]?.count ?? 0
    floor = kept[gone - 1]?.index ?? floor
    kept = kept.slice(gone)
  }

  /** Everything after an index; undefined when some of it is gone. */
  function since(index: number): readonly Kept[] | undefined {
    if (index < floor) return undefined
    const missed = kept.filter((batch) => batch.index > index)
    return missed.flatMap((batch) =>
      eventsIn(batch.text).map((event) => ({ index: batch.index, event })),
    )
  }

  function listen(listener: (news: readonly Kept[]) => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
}

export type EventRing = ReturnType<typeof createEventRing>
