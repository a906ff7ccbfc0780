import type { DatabaseSync } from 'node:sqlite'
import { sha256 } from '../../codec/batch.ts'
import { DamagedJournal, type Head } from '../../port/journal.ts'
import type { TablePorts } from './committer.ts'
import { sumOf } from './row-sum.ts'

export type SnapshotRow = Readonly<{
  id: number
  head: Head
  chunks: number
  digest: string
  isFinished: boolean
}>

/** A chunk's place: its snapshot's number, then its own within it. */
export const CHUNKS_MAX = 1_000_000
export const placeOf = (snapshot: number, nth: number): number => snapshot * CHUNKS_MAX + nth

export function createSnapshotRows({ db, committer }: TablePorts) {
  const put = db.prepare('INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?, ?, ?, ?)')
  const insertChunk = db.prepare('INSERT INTO chunks VALUES (?, ?, ?)')
  const selectChunk = db.prepare('SELECT hash, text FROM chunks WHERE place = ?')
  /** The hashes of the chunks written so far, by unfinished snapshot. */
  const open = new Map<number, { head: Head; hashes: string[] }>()

  return {
    beginSnapshot,
    writeChunk,
    finishSnapshot,
    abandonSnapshot,
    newestSnapshot,
    readChunk,
    isOpen,
  }

  function beginSnapshot(head: Head): number {
    const id = 1 + Math.max(0, ...readSnapshots(db).map((one) => one.id))
    committer.transact(() => write({ id, head, chunks: 0, digest: '', isFinished: false }))
    open.set(id, { head, hashes: [] })
    return id
  }

  function writeChunk(id: number, text: string): void {
    const { hashes } = opened(id)
    if (hashes.length === CHUNKS_MAX) throw new RangeError('The snapshot has too many chunks')
    const hash = sha256(text)
    committer.transact(() => void insertChunk.run(placeOf(id, hashes.length), hash, text))
    hashes.push(hash)
  }

  function finishSnapshot(id: number): void {
    const { head, hashes } = opened(id)
    committer.transact(() => {
      const digest = digestOf(hashes)
      write({ id, head, chunks: hashes.length, digest, isFinished: true })
      const before = committer.state().head
      if (head.index <= before.index) return undefined
      // An imported snapshot: the journal goes on from it, and has no batches before it.
      return { head, floor: head, headWriter: 'the importer' }
    })
    open.delete(id)
  }

  /** What it has written is removed with the leftovers. */
  function abandonSnapshot(id: number): void {
    open.delete(id)
  }

  function newestSnapshot(atOrBefore = Number.MAX_SAFE_INTEGER): SnapshotRow | undefined {
    return newestOf(readSnapshots(db), atOrBefore)
  }

  function readChunk(id: number, nth: number): string {
    const row = selectChunk.get(placeOf(id, nth))
    return verifiedChunk(row, `Chunk ${nth} of snapshot ${id}`)
  }

  function write(row: SnapshotRow): undefined {
    const columns = columnsOf(row)
    put.run(...columns, sumOf(columns))
  }

  function opened(id: number) {
    const found = open.get(id)
    if (!found) throw new Error(`Snapshot ${id} is not being written`)
    return found
  }

  function isOpen(id: number): boolean {
    return open.has(id)
  }
}

export const digestOf = (hashes: readonly string[]): string => sha256(hashes.join('\n'))

export function newestOf(
  rows: readonly SnapshotRow[],
  atOrBefore: number,
): SnapshotRow | undefined {
  return rows
    .filter((one) => one.isFinished && one.head.index <= atOrBefore)
    .toSorted((one, other) => other.head.index - one.head.index || other.id - one.id)[0]
}

/** A handful: compaction keeps two. */
export function readSnapshots(db: DatabaseSync): readonly SnapshotRow[] {
  return db.prepare('SELECT * FROM snapshots ORDER BY id').all().map(snapshotOf)
}

function snapshotOf(row: Readonly<Record<string, unknown>>): SnapshotRow {
  const snapshot: SnapshotRow = {
    id: Number(row.id),
    head: { index: Number(row.head_index), hash: String(row.head_hash) },
    chunks: Number(row.chunks),
    digest: String(row.digest),
    isFinished: row.finished === 1,
  }
  if (sumOf(columnsOf(snapshot)) !== row.sum)
    throw new DamagedJournal(`The row of snapshot ${row.id} does not match its checksum`)
  return snapshot
}

export function verifiedChunk(
  row: Readonly<Record<string, unknown>> | undefined,
  what: string,
): string {
  if (!row) throw new DamagedJournal(`${what} is missing`)
  const text = String(row.text)
  if (sha256(text) !== row.hash) throw new DamagedJournal(`${what} does not match its hash`)
  return text
}

const columnsOf = ({ id, head, chunks, digest, isFinished }: SnapshotRow) => [
  id,
  head.index,
  head.hash,
  chunks,
  digest,
  isFinished ? 1 : 0,
]
