import postgres from 'postgres'
import { StoreUnusable } from '../port/store-errors.ts'

export type Sql = postgres.Sql<{ bigint: number }>
export type Transaction = postgres.TransactionSql<{ bigint: number }>

export type Database = Readonly<{
  /** For commits alone, so that none waits behind a question. */
  commits: Sql
  /** For everything else. */
  questions: Sql
  channel: string
  notices: readonly string[]
  close(): Promise<void>
}>

type Settings = Readonly<{ url: string; schema: string }>

const LAYOUT = 1
const QUESTIONS_AT_ONCE = 4
const CONNECT_TIMEOUT_S = 5
/** A statement that has not ended by then has an unknown outcome. */
const STATEMENT_TIMEOUT_MS = 5_000
const CLOSE_TIMEOUT_S = 5

/** Tables as in the embedded store. `state` is one row: where the journal ends and begins. */
const TABLES = `
  create table if not exists layout (version int not null);
  create table if not exists state (id int primary key check (id = 1), head_index bigint not null,
    head_hash text not null, head_writer text not null, floor_index bigint not null,
    floor_hash text not null, history_through bigint not null);
  create table if not exists batches (idx bigint primary key, writer text not null,
    previous text not null, hash text not null, text text not null);
  create table if not exists snapshots (id text primary key, head_index bigint not null,
    head_hash text not null, chunks int not null, digest text not null, finished bool not null);
  create table if not exists chunks (snapshot text not null, nth int not null, hash text not null,
    text text not null, primary key (snapshot, nth));
  create table if not exists decisions (id text primary key, text text not null);
  create table if not exists ended (id text primary key, created_at bigint not null,
    ended_at bigint not null, request_key text, text text not null);
  create index if not exists ended_by_creation on ended (created_at, id collate "C");
  create index if not exists ended_by_end on ended (ended_at);
  create table if not exists parties (cluster text not null, created_at bigint not null,
    id text not null, roles int not null, primary key (cluster, created_at, id));
  create table if not exists requests (key text primary key, requester text not null,
    at bigint not null, reservation text, tombstone text);
  create index if not exists requests_by_time on requests (at);
  create index if not exists requests_by_requester on requests (requester, at);
  create table if not exists notes (name text primary key, text text not null);
  insert into state values (1, 0, '', '', 0, '', 0) on conflict do nothing;
  insert into layout select ${LAYOUT} where not exists (select from layout);
`

/** Connects, and makes the tables if they are not there. */
export async function openDatabase({ url, schema }: Settings): Promise<Database> {
  const connect = (max: number): Sql =>
    postgres(url, {
      max,
      connect_timeout: CONNECT_TIMEOUT_S,
      connection: {
        application_name: 'bourse',
        search_path: schema,
        // A role or a database may have them off; then an answer could be lost with the server.
        synchronous_commit: 'on',
        statement_timeout: STATEMENT_TIMEOUT_MS,
      },
      types: { bigint: { to: 20, from: [20], parse: Number, serialize: String } },
      onnotice: () => {},
    })
  const commits = connect(1)
  const questions = connect(QUESTIONS_AT_ONCE)
  const close = async () => {
    await Promise.all([commits, questions].map((sql) => sql.end({ timeout: CLOSE_TIMEOUT_S })))
  }
  const notices = await prepare(questions, schema).catch(async (failure) => {
    await close()
    throw failure
  })
  return { commits, questions, channel: `${schema}_journal`, notices, close }
}

async function prepare(sql: Sql, schema: string): Promise<readonly string[]> {
  await sql.begin(async (tx) => {
    // Brokers that start together make the tables one after the other.
    await tx`select pg_advisory_xact_lock(hashtext(${`bourse:${schema}`}))`
    await tx`create schema if not exists ${tx(schema)}`
    await tx.unsafe(TABLES)
  })
  const [layout] = await sql<{ version: number }[]>`select version from layout`
  if (layout?.version !== LAYOUT)
    throw new StoreUnusable(
      `The database has layout ${layout?.version}; this broker knows layout ${LAYOUT}`,
      'Start the version of the broker that wrote it',
    )
  const [setting] = await sql<{ fsync: string }[]>`show fsync`
  return setting?.fsync === 'off' ? [NO_FSYNC] : []
}

const NO_FSYNC =
  'The database server runs with fsync=off: what it says is committed may be lost with the machine.'
