import { createHash, randomUUID } from 'node:crypto'
import { sha256 } from '../codec/batch.ts'
import {
  CompactedAway,
  DamagedJournal,
  type Head,
  type SnapshotSink,
  type StoredSnapshot,
} from '../port/journal.ts'
import { keptSnapshots } from '../port/kept-snapshots.ts'
import type { Sql } from './database.ts'

type Entry = Readonly<{ id: string; head: Head; chunks: number; digest: string }>

/** Snapshots in rows; only the last statement makes one visible. */
export function createPostgresSnapshots(sql: Sql) {
  return { begin, open, keep }

  async function begin(at: Head): Promise<SnapshotSink> {
    const id = randomUUID()
    // What a broker that died, or one that no longer leads, has left.
    await sql`delete from snapshots where not finished`
    await sql`delete from chunks where snapshot not in (select id from snapshots)`
    await sql`insert into snapshots values (${id}, ${at.index}, ${at.hash}, 0, '', false)`
    const digest = createHash('sha256')
    let nth = 0
    return {
      async write(text) {
        const hash = sha256(text)
        await sql`insert into chunks values (${id}, ${nth}, ${hash}, ${text})`
        digest.update(hash)
        nth++
      },
      finish: () => finish({ id, head: at, chunks: nth, digest: digest.digest('hex') }),
      async abandon() {
        await sql`delete from snapshots where id = ${id} and not finished`
        await sql`delete from chunks where snapshot not in (select id from snapshots)`
      },
    }
  }

  async function finish({ id, head, chunks, digest }: Entry): Promise<void> {
    const { index, hash } = head
    await sql.begin(async (tx) => {
      const finished = await tx`
        update snapshots set chunks = ${chunks}, digest = ${digest}, finished = true
        where id = ${id} and not finished`
      if (finished.count !== 1) throw new Error('Another broker is writing a snapshot.')
      // One beyond the end was imported: the first batch follows it.
      await tx`update state set head_index = ${index}, head_hash = ${hash},
        floor_index = ${index}, floor_hash = ${hash} where head_index < ${index}`
    })
  }

  async function open(atOrBefore?: number): Promise<StoredSnapshot | undefined> {
    const entry = (await finished()).findLast(({ head }) => head.index <= (atOrBefore ?? Infinity))
    return entry && { head: entry.head, chunks: () => chunksOf(entry) }
  }

  /** Oldest first. */
  async function finished(): Promise<readonly Entry[]> {
    const rows = await sql`select * from snapshots where finished order by head_index`
    return rows.map(({ id, head_index, head_hash, chunks, digest }) => ({
      id,
      chunks,
      digest,
      head: { index: head_index, hash: head_hash },
    }))
  }

  async function* chunksOf({ id, head, chunks, digest }: Entry): AsyncGenerator<string> {
    const found = createHash('sha256')
    for (let nth = 0; nth < chunks; nth++) {
      const [row] = await sql<{ hash: string; text: string }[]>`
        select hash, text from chunks where snapshot = ${id} and nth = ${nth}`
      // Another broker may have compacted it away while it was being read.
      if (!row) throw new CompactedAway(head.index, head)
      if (sha256(row.text) !== row.hash)
        throw new DamagedJournal(`Chunk ${nth} of snapshot ${id} does not match its hash`)
      found.update(row.hash)
      yield row.text
    }
    if (found.digest('hex') !== digest)
      throw new DamagedJournal(`Snapshot ${id} is not made of the chunks it was finished with`)
  }

  /** Drops unneeded snapshots; returns up to where batches may be removed. */
  async function keep(keepFrom: number, also: readonly number[]): Promise<Head> {
    const entries = await finished()
    const [state] = await sql`select floor_index, floor_hash from state`
    const floor: Head = { index: state?.floor_index ?? 0, hash: state?.floor_hash ?? '' }
    const { anchor, kept } = keptSnapshots(entries, { floor, keepFrom, also })
    const dropped = entries.filter((entry) => !kept.includes(entry)).map(({ id }) => id)
    if (dropped.length > 0) await sql`delete from snapshots where id in ${sql(dropped)}`
    await sql`delete from chunks where snapshot not in (select id from snapshots)`
    if (!anchor || anchor.head.index <= floor.index) return floor
    await sql`update state set floor_index = ${anchor.head.index}, floor_hash = ${anchor.head.hash}
      where floor_index < ${anchor.head.index}`
    return anchor.head
  }
}
