import type { History } from '../port/history.ts'
import { StoreFault } from '../port/store-errors.ts'

/** Reads that waited for a commit come all at once: beyond these, callers ask again. */
export const QUESTIONS_MAX = 10_000

/**
 * Limits the lookups of callers. The broker's own calls, to record and to recall, come one at a
 * time and are not limited, so callers cannot crowd them out.
 */
export function boundHistory(history: History): History {
  let waiting = 0
  return {
    ...history,
    decision: bounded(history.decision),
    ended: bounded(history.ended),
    listEnded: bounded(history.listEnded),
  }

  function bounded<Q, A>(ask: (question: Q) => Promise<A>): (question: Q) => Promise<A> {
    return async (question) => {
      if (waiting >= QUESTIONS_MAX)
        throw new StoreFault({
          message: `${QUESTIONS_MAX} lookups are waiting for the history: try again in a moment.`,
          trouble: 'refused',
        })
      waiting++
      try {
        return await ask(question)
      } finally {
        waiting--
      }
    }
  }
}
