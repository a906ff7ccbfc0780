import { NO_HEAD } from '../codec/batch.ts'
import {
  type Appended,
  CompactedAway,
  DamagedJournal,
  type Head,
  type Journal,
  type SealedBatch,
  unknownOutcome,
} from '../port/journal.ts'
import type { Database, Sql } from './database.ts'
import { createPostgresSnapshots } from './postgres-snapshots.ts'

export type PostgresJournal = Journal & Required<Pick<Journal, 'follow'>>

const BATCHES_PER_READ = 64
const BATCHES_PER_STEP = 1_000
/** Notifications are only a nudge: one that is lost costs this much. */
const LOOK_EVERY_MS = 1_000

/** The journal in a database: the one row that says where it ends is the fence. */
export function createPostgresJournal(database: Database): PostgresJournal {
  const { commits, questions: sql, channel } = database
  const { begin, open, keep } = createPostgresSnapshots(sql)

  return {
    head: async () => (await stateOf(sql)).head,
    append: (batch) => append(batch).catch(unknownOutcome),
    read,
    follow,
    beginSnapshot: begin,
    latestSnapshot: open,
    compact,
    close: async () => {},
  }

  /** One statement, so that the batch and the head are there together or not at all. */
  async function append(batch: SealedBatch): Promise<Appended> {
    const { index, writer, previous, hash, text } = batch
    const appended = await commits`
      with moved as (
        update state set head_index = ${index}, head_hash = ${hash}, head_writer = ${writer}
        where head_index = ${index - 1} and head_hash = ${previous} returning 1)
      insert into batches select ${index}, ${writer}, ${previous}, ${hash}, ${text} from moved
      returning pg_notify(${channel}, ${String(index)})`
    return appended.length === 1 ? { kind: 'committed' } : settle(batch)
  }

  /** Another writer's index, or our own whose answer was lost. */
  async function settle({ index, hash }: SealedBatch): Promise<Appended> {
    const [there] = await commits<{ hash: string; writer: string }[]>`
      select hash, writer from batches where idx = ${index}`
    if (there?.hash === hash) return { kind: 'committed' }
    return { kind: 'fenced', by: there?.writer ?? (await stateOf(commits)).headWriter }
  }

  async function* read(from: number): AsyncGenerator<SealedBatch> {
    const { head, floor } = await stateOf(sql)
    if (from <= floor.index) throw new CompactedAway(from, floor)
    for (let next = from; next <= head.index; ) {
      const batches = await sql<(SealedBatch & { idx: number })[]>`
        select idx as index, writer, previous, hash, text from batches
        where idx between ${next} and ${head.index} order by idx limit ${BATCHES_PER_READ}`
      if (batches[0]?.index !== next) throw new CompactedAway(next, (await stateOf(sql)).floor)
      next += batches.length
      yield* batches
    }
  }

  async function* follow(from: number, signal: AbortSignal): AsyncGenerator<SealedBatch> {
    let next = from
    const bell = createBell(signal)
    const { unlisten } = await sql.listen(channel, bell.ring)
    try {
      while (!signal.aborted) {
        for await (const batch of read(next)) {
          yield batch
          next++
        }
        await bell.heard(LOOK_EVERY_MS)
      }
    } finally {
      await unlisten()
    }
  }

  async function compact(keepFrom: number, also: readonly number[] = []): Promise<void> {
    const floor = await keep(keepFrom, also)
    for (let gone = BATCHES_PER_STEP; gone === BATCHES_PER_STEP; ) {
      const removed = await sql`
        delete from batches where idx in (select idx from batches
          where idx <= ${floor.index} order by idx limit ${BATCHES_PER_STEP})`
      gone = removed.count
    }
  }
}

type State = Readonly<{ head: Head; headWriter: string; floor: Head }>

async function stateOf(sql: Sql): Promise<State> {
  const [row] = await sql`select * from state`
  if (!row) throw new DamagedJournal('The database has lost the row that says where it ends')
  const { head_index, head_hash, head_writer, floor_index, floor_hash } = row
  return {
    head: head_index === 0 ? NO_HEAD : { index: head_index, hash: head_hash },
    headWriter: head_writer,
    floor: { index: floor_index, hash: floor_hash },
  }
}

/** A signal without a listener is kept for the next one. */
function createBell(signal: AbortSignal) {
  let isRung = false
  let wake = () => {}
  const ring = () => {
    isRung = true
    wake()
  }
  signal.addEventListener('abort', ring)
  return {
    ring,
    async heard(withinMs: number): Promise<void> {
      if (!isRung)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, withinMs)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      isRung = false
    },
  }
}
