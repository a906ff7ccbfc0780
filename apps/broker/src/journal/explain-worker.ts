import { parentPort, workerData } from 'node:worker_threads'
import { createLedger, type Ledger, type LedgerSettings } from '@bourse/domain/ledger'
import type { Ranking } from '@bourse/domain/placement'
import type { DecisionRecord } from '../history/history.ts'
import { NO_HEAD, openBatch } from './batch.ts'
import type { Head, SealedBatch } from './journal.ts'
import { loadSnapshot } from './replay.ts'
import { openReading, type StoreReading } from './sqlite/store-reading.ts'

export type ExplainInput = Readonly<{
  dataDir: string
  settings: LedgerSettings
  record: DecisionRecord
}>

/** The full table behind a decision, or nothing if the journal no longer reaches back to it. */
async function explain({ dataDir, settings, record }: ExplainInput): Promise<Ranking | undefined> {
  const reading = openReading(dataDir)
  try {
    const ledger = createLedger(settings)
    const isReached = await rewind(reading, ledger, record)
    return isReached ? ledger.evaluate(record.request) : undefined
  } finally {
    reading.close()
  }
}

/** Brings the ledger to the moment just before the decision was made. */
async function rewind(reading: StoreReading, ledger: Ledger, record: DecisionRecord) {
  const { journal, state } = reading
  const { index, reservationId } = record
  const { head } = await loadSnapshot({ journal, ledger }, index - 1)
  if (head === NO_HEAD && state.floor.index > 0) return false
  let before: Head = head
  for (const sealed of reading.batches(head.index + 1)) {
    const isReached = applyUntil(ledger, { sealed, before, reservationId })
    if (isReached || sealed.index >= index) return isReached
    before = { index: sealed.index, hash: sealed.hash }
  }
  return false
}

type Step = Readonly<{ sealed: SealedBatch; before: Head; reservationId: string }>

function applyUntil(ledger: Ledger, { sealed, before, reservationId }: Step): boolean {
  const { events } = openBatch(sealed, before)
  for (const event of events) {
    if (event.kind === 'reserved' && event.reservation.id === reservationId) return true
    ledger.apply(event)
  }
  return false
}

// An error thrown here ends the thread and reaches whoever asked.
parentPort?.postMessage(await explain(workerData as ExplainInput))
