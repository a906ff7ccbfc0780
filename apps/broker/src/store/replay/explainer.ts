import { Worker } from 'node:worker_threads'
import type { Ranking } from '@bourse/domain/placement'
import type { DecisionRecord } from '../port/history.ts'
import type { Store } from '../port/store.ts'
import type { ExplainInput } from './explain-worker.ts'
import { type Question, rankingAt } from './rewind.ts'

type Explainer = Pick<Store, 'explainAt'>

/** A replay may need as much memory as the broker itself: one at a time, and few may wait. */
const WAITING_MAX = 8

export class ExplainerBusy extends Error {
  override readonly name = 'ExplainerBusy'
  readonly retryAfterSeconds = 1
  constructor() {
    super(`${WAITING_MAX} explanations are being computed already: try again in a moment`)
  }
}

/** Replays the journal up to a decision on a thread of its own, while the broker goes on. */
export function createExplainer(place: Pick<ExplainInput, 'dataDir' | 'settings'>): Explainer {
  return oneAtATime((record, reader) => runThread({ ...place, record, reader }))
}

/**
 * The same on the broker's own thread, for stores that are far away: between two pieces that are
 * fetched, everything else goes on.
 */
export function createRemoteExplainer(place: Pick<Question, 'journal' | 'settings'>): Explainer {
  return oneAtATime((record, reader) => rankingAt({ ...place, record, reader }))
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
