import { parentPort, workerData } from 'node:worker_threads'
import type { Ranking } from '@bourse/domain/placement'
import { openReading } from '../sqlite/store-reading.ts'
import { type Question, rankingAt } from './rewind.ts'

export type ExplainInput = Readonly<{ dataDir: string }> & Omit<Question, 'journal'>

async function explain({ dataDir, ...asked }: ExplainInput): Promise<Ranking | undefined> {
  const reading = openReading(dataDir)
  try {
    return await rankingAt({ journal: reading.journal, ...asked })
  } finally {
    reading.close()
  }
}

// An error thrown here ends the thread and rejects the caller's promise.
parentPort?.postMessage(await explain(workerData as ExplainInput))
