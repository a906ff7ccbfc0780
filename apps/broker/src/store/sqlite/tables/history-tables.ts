import { encodeDecision } from '../../codec/history-codec.ts'
import {
  type EndedRow,
  type HistoryRows,
  LAST,
  type RequestRow,
  type RequestTexts,
  rolesOf,
} from '../../codec/history-rows.ts'
import type { EndedQuery } from '../../port/history.ts'
import type { TablePorts } from './committer.ts'
import { createDecisionSearch } from './grounds.ts'
import { createGuardedTable, verifiedRow } from './guarded-table.ts'

const KEYS_PER_PAGE = 5_000

/** The history's side of the store's thread: rows in, verified texts out. */
export function createHistoryTables({ db, committer }: TablePorts) {
  const decisions = createGuardedTable(db, 'decisions')
  const ended = createGuardedTable(db, 'ended')
  const parties = createGuardedTable(db, 'parties')
  const requests = createGuardedTable(db, 'requests')
  const removeRequest = requests.remover('key = ?')
  const search = createDecisionSearch({ db, committer })
  const selectDecision = db.prepare('SELECT * FROM decisions WHERE id = ?')
  const selectEnded = db.prepare('SELECT * FROM ended WHERE id = ?')
  const selectRequest = db.prepare('SELECT * FROM requests WHERE key = ?')
  const countRequests = db.prepare("SELECT count FROM totals WHERE name = 'requests'")
  const selectKeys = db.prepare('SELECT key FROM requests WHERE key > ? ORDER BY key LIMIT ?')
  const newest = db.prepare(`SELECT * FROM ended WHERE (created_at, id) < (?, ?)
    ORDER BY created_at DESC, id DESC LIMIT ?`)
  const newestOfParty = db.prepare(`SELECT ended.* FROM parties JOIN ended ON ended.id = parties.id
    WHERE cluster = ? AND roles & ? AND (parties.created_at, parties.id) < (?, ?)
    ORDER BY parties.created_at DESC, parties.id DESC LIMIT ?`)

  return {
    record,
    decisionText,
    endedText,
    listEndedTexts,
    rememberedRequest,
    requestCount,
    requestKeysAfter,
  }

  function record(rows: HistoryRows): void {
    committer.transact(() => {
      for (const { id, text } of rows.decisions) decisions.insert([id, text])
      for (const row of rows.ended) recordEnded(row)
      for (const row of rows.requests) recordRequest(row)
      return { historyThrough: Math.max(committer.state().historyThrough, rows.through) }
    })
  }

  function recordEnded({ id, createdAt, endedAt, requestKey, text, parties: involved }: EndedRow) {
    if (!ended.insert([id, createdAt, endedAt, requestKey, text])) return
    for (const { cluster, roles } of involved) parties.insert([cluster, createdAt, id, roles])
  }

  /** A grant and a tombstone stand beside each other, whichever came first. */
  function recordRequest({ key, requester, at, reservation, tombstone }: RequestRow): void {
    const isGrant = tombstone === null
    if (isGrant && requests.insert([key, requester, at, reservation, tombstone])) return
    // Its columns are those of a request.
    const before = removeRequest(key)[0] as RequestRow | undefined
    const moment = isGrant && before ? before.at : at
    const granted = before?.reservation ?? reservation
    requests.insert([key, requester, moment, granted, tombstone ?? before?.tombstone ?? null])
  }

  /** `decidedIndex`: where to look while compaction has not made a row of it. */
  function decisionText(id: string, decidedIndex?: number): string | undefined {
    const row = selectDecision.get(id)
    if (row) return String(verifiedRow('decisions', row).text)
    const record = decidedIndex === undefined ? undefined : search(id, decidedIndex)
    return record && encodeDecision(record)
  }

  function endedText(id: string): string | undefined {
    const row = selectEnded.get(id)
    return row && String(verifiedRow('ended', row).text)
  }

  function listEndedTexts({ party, role, limit, after = LAST }: EndedQuery): readonly string[] {
    const rows =
      party === undefined
        ? newest.all(after.createdAt, after.id, limit)
        : newestOfParty.all(party, rolesOf(role), after.createdAt, after.id, limit)
    return rows.map((row) => String(verifiedRow('ended', row).text))
  }

  function rememberedRequest(key: string): RequestTexts | undefined {
    const row = selectRequest.get(key)
    if (!row) return undefined
    const { reservation, tombstone } = verifiedRow('requests', row)
    const granted = reservation === null ? undefined : endedText(String(reservation))
    return { granted, isBuried: tombstone !== null }
  }

  function requestCount(): number {
    return Number(countRequests.get()?.count)
  }

  function requestKeysAfter(key: string): readonly string[] {
    return selectKeys.all(key, KEYS_PER_PAGE).map((row) => String(row.key))
  }
}
