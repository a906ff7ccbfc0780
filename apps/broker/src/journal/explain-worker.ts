import { parentPort, workerData } from 'node:worker_threads'
import { createLedger, type LedgerSettings } from '@bourse/domain/ledger'
import type { Ranking } from '@bourse/domain/placement'
import type { DecisionRecord } from '../history/history.ts'
import { rewind } from './rewind.ts'
import { openReading } from './sqlite/store-reading.ts'

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
    const isReached = await rewind({ journal: reading.journal, ledger, record })
    return isReached ? ledger.evaluate(record.request) : undefined
  } finally {
    reading.close()
  }
}

// An error thrown here ends the thread and reaches whoever asked.
parentPort?.postMessage(await explain(workerData as ExplainInput))
