import { decisionIn } from '../../codec/batch-grounds.ts'
import type { DecisionRecord } from '../../port/history.ts'
import { DamagedJournal } from '../../port/journal.ts'
import { batchOf } from './batch-rows.ts'
import type { TablePorts } from './committer.ts'

/**
 * A ledger that moved here may come from a store of small batches, where what was decided for one
 * batch was cut into several. So the batch that a reservation names is where the search begins.
 */
const PIECES_MAX = 32

/** Finds the grounds of a decision where they were committed, as long as that batch is there. */
export function createDecisionSearch({ db, committer }: TablePorts) {
  const select = db.prepare('SELECT * FROM batches WHERE idx = ?')
  return { search }

  /** Throws `DamagedJournal`. */
  function search(reservationId: string, decidedIndex: number): DecisionRecord | undefined {
    const { floor, head } = committer.state()
    const end = Math.min(head.index, decidedIndex + PIECES_MAX - 1)
    for (let index = Math.max(decidedIndex, floor.index + 1); index <= end; index++) {
      const row = select.get(index)
      if (!row) throw new DamagedJournal(`Batch ${index} of the journal is missing`)
      const found = decisionIn(batchOf(row), reservationId)
      if (found) return found
    }
    return undefined
  }
}
