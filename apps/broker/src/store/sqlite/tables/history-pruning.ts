import { partiesOf } from '../../codec/history-rows.ts'
import type { PruneLimits } from '../../port/history.ts'
import type { TablePorts } from './committer.ts'
import { createGuardedTable, type Row } from './guarded-table.ts'

/** Where a pruning has got to; undefined when it is done. */
export type PruneCursor = Readonly<{ requester: string }>

const STEP_ROWS = 200
/** Requesters looked at in one step. */
const STEP_REQUESTERS = 20

/** Forgets a bounded number of rows at a time, so that commits in between hardly wait. */
export function createHistoryPruning({ db, committer }: TablePorts) {
  const decisions = createGuardedTable(db, 'decisions')
  const ended = createGuardedTable(db, 'ended')
  const parties = createGuardedTable(db, 'parties')
  const requests = createGuardedTable(db, 'requests')
  const removeOldRequests = requests.remover(
    'key IN (SELECT key FROM requests WHERE at < ? ORDER BY at LIMIT ?)',
  )
  const removeOldEnded = ended.remover(
    'id IN (SELECT id FROM ended WHERE ended_at < ? ORDER BY ended_at LIMIT ?)',
  )
  const removeOldestOf = requests.remover(
    'key IN (SELECT key FROM requests WHERE requester = ? ORDER BY at LIMIT ?)',
  )
  const removeDecision = decisions.remover('id = ?')
  const removeParty = parties.remover('cluster = ? AND created_at = ? AND id = ?')
  const nextRequester = db.prepare(
    'SELECT requester FROM requests WHERE requester > ? ORDER BY requester LIMIT 1',
  )
  const countBeyond = db.prepare(`SELECT count(*) AS excess FROM
    (SELECT 1 FROM requests WHERE requester = ? ORDER BY at DESC LIMIT ? OFFSET ?)`)
  return { pruneStep }

  function pruneStep(
    limits: PruneLimits,
    cursor: PruneCursor = { requester: '' },
  ): PruneCursor | undefined {
    return forgetByAge(limits) > 0 ? cursor : forgetExcess(limits.requestsMax, cursor)
  }

  function forgetByAge({ endedBefore, requestsBefore }: PruneLimits): number {
    let gone = 0
    committer.transact(() => {
      gone += removeOldRequests(requestsBefore, STEP_ROWS).length
      // A remembered request answers with its reservation: that one stays as long.
      const rows = removeOldEnded(Math.min(endedBefore, requestsBefore), STEP_ROWS)
      for (const row of rows) forgetCompany(row)
      gone += rows.length
      return undefined
    })
    return gone
  }

  function forgetCompany({ id, created_at, text }: Row): void {
    removeDecision(String(id))
    // The row's checksum has been verified: the text is what `encodeEnded` wrote.
    const reservation = JSON.parse(String(text)) as Parameters<typeof partiesOf>[0]
    for (const { cluster } of partiesOf(reservation))
      removeParty(cluster, Number(created_at), String(id))
  }

  function forgetExcess(max: number, cursor: PruneCursor): PruneCursor | undefined {
    let { requester } = cursor
    for (let looked = 0; looked < STEP_REQUESTERS; looked++) {
      const next = nextRequester.get(requester)?.requester
      if (typeof next !== 'string') return undefined
      const excess = Number(countBeyond.get(next, STEP_ROWS, max)?.excess)
      if (excess > 0) {
        committer.transact(() => void removeOldestOf(next, excess))
        // The same requester again, until it has no more than it may.
        return { requester }
      }
      requester = next
    }
    return { requester }
  }
}
