import { parentPort, workerData } from 'node:worker_threads'
import type { LedgerSettings } from '@bourse/domain/ledger'
import type { Ranking } from '@bourse/domain/placement'
import type { DecisionRecord } from '../port/history.ts'
import { openReading } from '../sqlite/store-reading.ts'
import { rankingAt } from './rewind.ts'

export type ExplainInput = Readonly<{
  dataDir: string
  settings: LedgerSettings
  record: DecisionRecord
  reader?: string | undefined
}>

async function explain(input: ExplainInput): Promise<Ranking | undefined> {
  const { dataDir, ...asked } = input
  const reading = openReading(dataDir)
  try {
    return await rankingAt({ journal: reading.journal, ...asked })
  } finally {
    reading.close()
  }
}

// An error thrown here ends the thread and rejects the caller's promise.
parentPort?.postMessage(await explain(workerData as ExplainInput))
