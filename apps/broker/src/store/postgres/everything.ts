import { decodeDecision, decodeEnded } from '../codec/history-codec.ts'
import { type HistoryBatch, NO_HISTORY, type Tombstone } from '../port/history.ts'
import type { Sql } from './database.ts'

const ROWS_PER_PAGE = 500

/** The whole history, page by page. */
export async function* everythingIn(sql: Sql): AsyncGenerator<HistoryBatch> {
  const [state] = await sql<{ through: number }[]>`select history_through as through from state`
  for await (const rows of pages((after) => decisionsAfter(sql, after)))
    yield { ...NO_HISTORY, decisions: rows.map(({ text }) => decodeDecision(text)) }
  for await (const rows of pages((after) => endedAfter(sql, after)))
    yield { ...NO_HISTORY, ended: rows.map(({ text }) => decodeEnded(text)) }
  // This is what `rowsOf` wrote.
  for await (const rows of pages((after) => tombstonesAfter(sql, after)))
    yield { ...NO_HISTORY, tombstones: rows.map(({ text }) => JSON.parse(text) as Tombstone) }
  yield { ...NO_HISTORY, through: state?.through ?? 0 }
}

type Row = { key: string; text: string }

const decisionsAfter = (sql: Sql, after: string) => sql<Row[]>`
  select id as key, text from decisions where id collate "C" > ${after}
  order by id collate "C" limit ${ROWS_PER_PAGE}`

const endedAfter = (sql: Sql, after: string) => sql<Row[]>`
  select id as key, text from ended where id collate "C" > ${after}
  order by id collate "C" limit ${ROWS_PER_PAGE}`

const tombstonesAfter = (sql: Sql, after: string) => sql<Row[]>`
  select key, tombstone as text from requests
  where key collate "C" > ${after} and tombstone is not null
  order by key collate "C" limit ${ROWS_PER_PAGE}`

async function* pages(
  read: (after: string) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  for (let after = ''; ; ) {
    const rows = await read(after)
    const last = rows.at(-1)
    if (!last) return
    yield rows
    after = last.key
  }
}
