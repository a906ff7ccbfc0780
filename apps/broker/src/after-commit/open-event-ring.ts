import type { Logger } from 'pino'
import type { LedgerWriter } from '../ledger/writer/ledger-writer.ts'
import type { Journal } from '../store/port/journal.ts'
import { createEventRing, type EventRing } from './event-ring.ts'
import { recentBatches } from './recent-batches.ts'

type Ports = Readonly<{
  writer: Pick<LedgerWriter, 'index' | 'subscribe'>
  journal: Pick<Journal, 'read'>
  log: Pick<Logger, 'warn'>
}>

/** Follows the writer from now on, and soon has what the journal has of before. */
export function openEventRing({ writer, journal, log }: Ports): EventRing {
  const begin = writer.index()
  const ring = createEventRing(begin, recentBatches(begin, { journal, log }))
  writer.subscribe(ring.publish)
  return ring
}
