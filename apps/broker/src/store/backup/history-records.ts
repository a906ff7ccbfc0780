import { type BatchGrounds, groundsIn } from '../codec/batch-grounds.ts'
import { encodeDecision } from '../codec/history-codec.ts'
import type { Tombstone } from '../port/history.ts'
import type { StoreReading } from '../sqlite/store-reading.ts'
import type { HistoryRecord } from './backup-format.ts'

/** The whole history, with the grounds that would be lost without the batches up to one. */
export function* historyRecords(reading: StoreReading, through: number): Generator<HistoryRecord> {
  for (const text of groundsWithout(reading, through)) yield { kind: 'decision', text }
  for (const { text } of reading.rows('ended')) yield { kind: 'ended', text: String(text) }
  for (const { tombstone } of reading.rows('requests')) {
    if (tombstone === null) continue
    // The row's checksum has been verified: this is what `rowsOf` wrote.
    yield { kind: 'tombstone', tombstone: JSON.parse(String(tombstone)) as Tombstone }
  }
}

/**
 * Those that compaction made rows of, and those that only these batches have. Leaves out the
 * grounds of reservations whose end is not exported: nothing would ever remove them.
 */
function* groundsWithout(reading: StoreReading, through: number): Generator<string> {
  const forgotten = forgottenIn(reading, through)
  for (const { decisions } of groundsUpTo(reading, through))
    for (const record of decisions) {
      const { reservationId: id } = record
      if (!forgotten.has(id) && !reading.hasRow('decisions', id)) yield encodeDecision(record)
    }
  for (const { id, text } of reading.rows('decisions'))
    if (!forgotten.has(String(id))) yield String(text)
}

/** Whose end was recorded and has been pruned since. */
function forgottenIn(reading: StoreReading, through: number): ReadonlySet<string> {
  const forgotten = new Set<string>()
  const recorded = Math.min(through, reading.state.historyThrough)
  for (const { ended } of groundsUpTo(reading, recorded))
    for (const id of ended) if (!reading.hasRow('ended', id)) forgotten.add(id)
  return forgotten
}

function* groundsUpTo(reading: StoreReading, through: number): Generator<BatchGrounds> {
  let before = reading.state.floor
  if (through <= before.index) return
  for (const batch of reading.batches(before.index + 1)) {
    if (batch.index > through) return
    yield groundsIn(batch, before)
    before = { index: batch.index, hash: batch.hash }
  }
}
