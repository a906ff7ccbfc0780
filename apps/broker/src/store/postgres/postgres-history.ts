import type { RememberedRequest } from '@bourse/domain/ledger'
import { decodeDecision, decodeEnded } from '../codec/history-codec.ts'
import {
  LAST,
  partiesOf,
  type RequestRow,
  rememberedOf,
  rolesOf,
  rowsOf,
} from '../codec/history-rows.ts'
import { requestKey } from '../codec/request-key.ts'
import {
  type EndedQuery,
  type History,
  type HistoryBatch,
  NO_HISTORY,
  type PruneLimits,
  type Tombstone,
} from '../port/history.ts'
import type { Sql, Transaction } from './database.ts'

const KEYS_PER_PAGE = 5_000
const STEP_ROWS = 500

type Text = { text: string }

/** The history in the same database as the journal. */
export function createPostgresHistory(sql: Sql): History {
  return {
    record: async (batch) => void (await sql.begin((tx) => insert(tx, batch))),
    recordedThrough: () => recordedThrough(sql),
    decision: async ({ id }) => {
      const [row] = await sql<Text[]>`select text from decisions where id = ${id}`
      return row && decodeDecision(row.text)
    },
    ended: async (id) => {
      const [row] = await sql<Text[]>`select text from ended where id = ${id}`
      return row && decodeEnded(row.text)
    },
    listEnded: async (query) => (await endedRows(query)).map(({ text }) => decodeEnded(text)),
    request: (door, requester, requestId) => request(requestKey({ door, requester, requestId })),
    requestCount: async () => {
      const [row] = await sql<{ count: number }[]>`select count(*) as count from requests`
      return row?.count ?? 0
    },
    requestKeys,
    prune: (limits) => prune(sql, limits),
  }

  function endedRows({ party, role, limit, after = LAST }: EndedQuery): Promise<Text[]> {
    const { createdAt, id } = after
    if (party === undefined)
      return sql<Text[]>`select text from ended
        where (created_at, id collate "C") < (${createdAt}, ${id} collate "C")
        order by created_at desc, id collate "C" desc limit ${limit}`
    return sql<Text[]>`select ended.text from parties join ended using (id)
      where cluster = ${party} and (roles & ${rolesOf(role)}) > 0
        and (parties.created_at, id collate "C") < (${createdAt}, ${id} collate "C")
      order by parties.created_at desc, id collate "C" desc limit ${limit}`
  }

  async function request(key: string): Promise<RememberedRequest | undefined> {
    const [row] = await sql<{ text: string | null; buried: boolean }[]>`
      select text, tombstone is not null as buried
      from requests left join ended on ended.id = reservation where key = ${key}`
    return row && rememberedOf({ granted: row.text ?? undefined, isBuried: row.buried })
  }

  async function* requestKeys(): AsyncGenerator<readonly string[]> {
    for (let last = ''; ; ) {
      const rows = await sql<{ key: string }[]>`
        select key from requests where key > ${last} order by key limit ${KEYS_PER_PAGE}`
      if (rows.length === 0) return
      yield rows.map(({ key }) => key)
      last = rows.at(-1)?.key ?? ''
    }
  }
}

/** The whole history, page by page. */
export async function* everythingIn(sql: Sql): AsyncGenerator<HistoryBatch> {
  const through = await recordedThrough(sql)
  for await (const texts of textsIn(sql, { table: 'decisions', key: 'id', column: 'text' }))
    yield { ...NO_HISTORY, decisions: texts.map(decodeDecision) }
  for await (const texts of textsIn(sql, { table: 'ended', key: 'id', column: 'text' }))
    yield { ...NO_HISTORY, ended: texts.map(decodeEnded) }
  // This is what `rowsOf` wrote.
  for await (const texts of textsIn(sql, { table: 'requests', key: 'key', column: 'tombstone' }))
    yield { ...NO_HISTORY, tombstones: texts.map((text) => JSON.parse(text) as Tombstone) }
  yield { ...NO_HISTORY, through }
}

async function recordedThrough(sql: Sql): Promise<number> {
  const [row] = await sql<{ through: number }[]>`select history_through as through from state`
  return row?.through ?? 0
}

type Place = Readonly<{ table: string; key: string; column: string }>

/** All that is not null in a column, a page at a time. */
async function* textsIn(sql: Sql, { table, key, column }: Place): AsyncGenerator<string[]> {
  for (let after = ''; ; ) {
    const rows = await sql<{ key: string; text: string }[]>`
      select ${sql(key)} as key, ${sql(column)} as text from ${sql(table)}
      where ${sql(key)} collate "C" > ${after} and ${sql(column)} is not null
      order by ${sql(key)} collate "C" limit ${STEP_ROWS}`
    const last = rows.at(-1)
    if (!last) return
    yield rows.map(({ text }) => text)
    after = last.key
  }
}

async function insert(tx: Transaction, batch: HistoryBatch): Promise<void> {
  const { through, decisions, ended, requests } = rowsOf(batch)
  const endedRows = ended.map(
    ({ id, createdAt: created_at, endedAt: ended_at, requestKey: request_key, text }) => ({
      id,
      created_at,
      ended_at,
      request_key,
      text,
    }),
  )
  const parties = ended.flatMap(({ id, createdAt, parties: involved }) =>
    involved.map((party) => ({ ...party, created_at: createdAt, id })),
  )
  if (decisions.length > 0) await tx`insert into decisions ${tx(decisions)} on conflict do nothing`
  if (ended.length > 0) await tx`insert into ended ${tx(endedRows)} on conflict do nothing`
  if (parties.length > 0) await tx`insert into parties ${tx(parties)} on conflict do nothing`
  await insertRequests(tx, requests)
  await tx`update state set history_through = greatest(history_through, ${through})`
}

/** A grant and a tombstone stand beside each other, whichever came first. */
async function insertRequests(tx: Transaction, requests: readonly RequestRow[]): Promise<void> {
  const grants = onceEach(requests.filter(({ tombstone }) => tombstone === null))
  const tombstones = onceEach(requests.filter(({ tombstone }) => tombstone !== null))
  if (grants.length > 0)
    await tx`insert into requests ${tx(grants)} on conflict (key)
      do update set reservation = coalesce(requests.reservation, excluded.reservation)`
  if (tombstones.length > 0)
    await tx`insert into requests ${tx(tombstones)} on conflict (key)
      do update set at = excluded.at, tombstone = excluded.tombstone`
}

/** One statement may write a row only once. */
function onceEach(rows: readonly RequestRow[]): RequestRow[] {
  return [...new Map(rows.map((row) => [row.key, row])).values()]
}

async function prune(sql: Sql, limits: PruneLimits): Promise<void> {
  const { endedBefore, requestsBefore, requestsMax } = limits
  await repeat(async () => {
    const gone = await sql`delete from requests where key in
      (select key from requests where at < ${requestsBefore} order by at limit ${STEP_ROWS})`
    return gone.count
  })
  // A remembered request answers with its reservation: that one stays as long.
  await repeat(() => forgetEnded(sql, Math.min(endedBefore, requestsBefore)))
  await repeat(async () => {
    const gone = await sql`delete from requests where key in (select key from
      (select key, row_number() over (partition by requester order by at desc) as place
       from requests) as placed where place > ${requestsMax} limit ${STEP_ROWS})`
    return gone.count
  })
}

function forgetEnded(sql: Sql, before: number): Promise<number> {
  return sql.begin(async (tx) => {
    const gone = await tx<{ id: string; created_at: number; text: string }[]>`
      delete from ended where id in
        (select id from ended where ended_at < ${before} order by ended_at limit ${STEP_ROWS})
      returning id, created_at, text`
    if (gone.length === 0) return 0
    const ids = gone.map(({ id }) => id)
    await tx`delete from decisions where id in ${tx(ids)}`
    const places = gone.flatMap(({ id, created_at, text }) =>
      partiesOf(decodeEnded(text)).map(({ cluster }) => ({ cluster, created_at, id })),
    )
    for (const { cluster, created_at, id } of places)
      await tx`delete from parties
        where cluster = ${cluster} and created_at = ${created_at} and id = ${id}`
    return gone.length
  })
}

async function repeat(step: () => Promise<number>): Promise<void> {
  while ((await step()) > 0);
}
