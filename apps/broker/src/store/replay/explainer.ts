import { Worker } from 'node:worker_threads'
import type { LedgerSettings } from '@bourse/domain/ledger'
import type { Ranking } from '@bourse/domain/placement'
import type { DecisionRecord } from '../port/history.ts'
import type { Journal } from '../port/journal.ts'
import type { ExplainInput } from './explain-worker.ts'
import { rankingAt } from './rewind.ts'

type Settings = Readonly<{ dataDir: string; settings: LedgerSettings }>

export type Explainer = {
  /**
   * The full ranking at the moment of a decision; undefined once the history has passed it. Where a
   * cluster reads it, the amounts that were hidden from it are coarse.
   */
  explainAt(record: DecisionRecord, reader?: string): Promise<Ranking | undefined>
}

/** A replay may need as much memory as the broker itself: one at a time, and few may wait. */
const WAITING_MAX = 8

export class ExplainerBusy extends Error {
  override readonly name = 'ExplainerBusy'
  readonly retryAfterSeconds = 1
  constructor() {
    super(`${WAITING_MAX} explanations are being computed already: try again in a moment`)
  }
}

/** Replays the journal up to a decision on a thread of its own, beside the running broker. */
export function createExplainer({ dataDir, settings }: Settings): Explainer {
  return oneAtATime((record, reader) => runThread({ dataDir, settings, record, reader }))
}

type Replaying = Readonly<{
  journal: Pick<Journal, 'latestSnapshot' | 'read'>
  settings: LedgerSettings
}>

/**
 * The same beside the broker's other work, for stores that are far away: between two pieces that
 * are fetched, everything else goes on.
 */
export function createRemoteExplainer({ journal, settings }: Replaying): Explainer {
  return oneAtATime((record, reader) => rankingAt({ journal, settings, record, reader }))
}

function oneAtATime(explain: Explainer['explainAt']): Explainer {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0

  return { explainAt }

  async function explainAt(record: DecisionRecord, reader?: string): Promise<Ranking | undefined> {
    if (waiting >= WAITING_MAX) throw new ExplainerBusy()
    waiting++
    const turn = last.then(() => explain(record, reader))
    // The next one starts whether or not this one succeeds; its failure is its caller's.
    last = turn.catch(() => undefined)
    return turn.finally(() => {
      waiting--
    })
  }
}

function runThread(workerData: ExplainInput): Promise<Ranking | undefined> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./explain-worker.ts', import.meta.url), { workerData })
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error('The explanation ended without an answer')))
  })
}
