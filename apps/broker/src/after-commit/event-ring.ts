import { createSignal } from '@bourse/daemon/signal'
import type { LedgerEvent } from '@bourse/domain/ledger'
import type { Published } from '../ledger/writer/ledger-writer.ts'
import { eventsIn } from '../store/codec/batch.ts'

/** What was committed together. */
export type EventBatch = Readonly<{ index: number; events: readonly LedgerEvent[] }>

/** Events kept for streams that reconnect: a second at full load, hours otherwise. Some MB. */
const EVENTS_MAX = 2_000
/** Fewer if they are this long: an advertisement alone may have 100 KiB, and all may be read. */
export const CHARACTERS_MAX = 8 * 1024 * 1024

/** A batch as the journal has it. */
type BatchText = Readonly<{ index: number; text: string }>

/**
 * The latest committed events, and the readers that wait for the next ones. `earlier`: the batches
 * up to its start, in order.
 */
export function createEventRing(startIndex: number, earlier?: Promise<readonly BatchText[]>) {
  /**
   * Kept as journal text, which few readers come back for: thousands of event objects that live
   * half a second would cost more garbage collection than the rest of a reservation.
   */
  let kept: Readonly<{ index: number; text: string; count: number }>[] = []
  let keptCount = 0
  let keptCharacters = 0
  let floor = startIndex
  let last = startIndex
  /** The batch that current readers get next, and the batch that a late reader got last. */
  let latest: EventBatch | undefined
  let lastRead: EventBatch | undefined
  const changed = createSignal()

  /** `listen` is called after each new batch; it returns how to stop. */
  return {
    publish,
    after,
    newest,
    startOf,
    isLatest,
    listen: changed.subscribe,
    /** Resolves when what was committed before its start is there, too. */
    filled: earlier?.then(refill) ?? Promise.resolve(),
  }

  function publish({ index, events, text }: Published): void {
    last = index
    if (events.length === 0) return
    kept.push({ index, text, count: events.length })
    keptCount += events.length
    keptCharacters += text.length
    // Cut in large pieces: moving thousands of entries for each batch would cost more than them.
    if (keptCount > 2 * EVENTS_MAX || keptCharacters > 2 * CHARACTERS_MAX) letGo()
    latest = changed.isHeard() ? { index, events } : undefined
    changed.tell()
  }

  function refill(texts: readonly BatchText[]): void {
    const [first] = texts
    // By now more may have come than is kept.
    if (!first || floor !== startIndex) return
    const before = texts.map(({ index, text }) => ({ index, text, count: countIn(text) }))
    kept = [...before, ...kept]
    for (const { count, text } of before) {
      keptCount += count
      keptCharacters += text.length
    }
    floor = first.index - 1
    letGo()
  }

  function letGo(): void {
    let gone = 0
    for (; isTooMuch() && gone < kept.length - 1; gone += 1) {
      keptCount -= kept[gone]?.count ?? 0
      keptCharacters -= kept[gone]?.text.length ?? 0
    }
    floor = kept[gone - 1]?.index ?? floor
    kept = kept.slice(gone)
  }

  function isTooMuch(): boolean {
    return keptCount > EVENTS_MAX || keptCharacters > CHARACTERS_MAX
  }

  /**
   * The next batch after an index; undefined while there is none. `unknown`: that batch is no longer
   * kept, or the index is beyond our last one.
   */
  function after(index: number): EventBatch | 'unknown' | undefined {
    if (index < floor || index > last) return 'unknown'
    const next = kept[firstAfter(index)]
    if (!next || next.index === latest?.index) return next && latest
    // Decoded once: a large batch is asked for again with each piece that is sent.
    if (next.index !== lastRead?.index)
      lastRead = { index: next.index, events: eventsIn(next.text) }
    return lastRead
  }

  /** What is kept, the newest first. */
  function* newest(): Generator<LedgerEvent> {
    for (const { text } of kept.toReversed()) yield* eventsIn(text).reverse()
  }

  /** The index after which the last so many of these events come, or as many as are kept. */
  function startOf(count: number, isMeant: (event: LedgerEvent) => boolean): number {
    let left = count
    for (let at = kept.length - 1; at >= 0; at -= 1) {
      left -= eventsIn(kept[at]?.text ?? '').filter(isMeant).length
      if (left <= 0) return kept[at - 1]?.index ?? floor
    }
    return floor
  }

  /** Binary search: a reader that is far behind asks once for each batch. */
  function firstAfter(index: number): number {
    let low = 0
    let high = kept.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((kept[middle]?.index ?? 0) <= index) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Whether this batch is the one that all current readers are sent now. */
  function isLatest(batch: EventBatch): boolean {
    return batch === latest
  }
}

/** A line is the header's. */
function countIn(text: string): number {
  return text.split('\n').length - 1
}

export type EventRing = ReturnType<typeof createEventRing>
