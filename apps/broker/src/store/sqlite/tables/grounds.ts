import { decisionIn, groundsIn } from '../../codec/batch-grounds.ts'
import { encodeDecision } from '../../codec/history-codec.ts'
import type { DecisionRecord } from '../../port/history.ts'
import { DamagedJournal, type Head } from '../../port/journal.ts'
import { batchOf } from './batch-rows.ts'
import type { TablePorts } from './committer.ts'
import { createGuardedTable } from './guarded-table.ts'

/**
 * A ledger that moved here may come from a store of small batches, where what was decided for one
 * batch was cut into several. So the batch that a reservation names is where the search begins.
 */
const PIECES_MAX = 32

/** Finds the grounds of a decision where they were committed, as long as that batch is there. */
export function createDecisionSearch({ db, committer }: TablePorts) {
  const select = db.prepare('SELECT * FROM batches WHERE idx = ?')

  /** Throws `DamagedJournal`. */
  return (reservationId: string, decidedIndex: number): DecisionRecord | undefined => {
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

/** Grounds outlive their batch: they get a row of their own when it goes, and not before. */
export function createGroundsKeeping({ db, committer }: TablePorts) {
  const rows = createGuardedTable(db, 'decisions')
  const remove = rows.remover('id = ?')
  const selectEnded = db.prepare('SELECT 1 FROM ended WHERE id = ?')
  const selectRun = db.prepare('SELECT * FROM batches WHERE idx BETWEEN ? AND ? ORDER BY idx')
  return keepGrounds

  /** To be called in the transaction that deletes these batches. Throws `DamagedJournal`. */
  function keepGrounds(after: Head, through: number): void {
    const { decisions, forgotten } = readRun(after, through)
    for (const id of forgotten) remove(id)
    for (const record of decisions)
      if (!forgotten.has(record.reservationId))
        rows.insert([record.reservationId, encodeDecision(record)])
  }

  function readRun(after: Head, through: number) {
    const decisions: DecisionRecord[] = []
    const forgotten = new Set<string>()
    let before = after
    for (const row of selectRun.iterate(after.index + 1, through)) {
      const batch = batchOf(row)
      const grounds = groundsIn(batch, before)
      decisions.push(...grounds.decisions)
      for (const id of grounds.ended) if (isForgotten(id, batch.index)) forgotten.add(id)
      before = { index: batch.index, hash: batch.hash }
    }
    return { decisions, forgotten }
  }

  /** Its end was recorded and pruned since: nothing would ever take a row of it away again. */
  function isForgotten(id: string, endedIn: number): boolean {
    return endedIn <= committer.state().historyThrough && selectEnded.get(id) === undefined
  }
}
