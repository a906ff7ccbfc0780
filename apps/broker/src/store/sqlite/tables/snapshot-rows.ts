import type { DatabaseSync } from 'node:sqlite'
import { sha256 } from '../../codec/batch.ts'
import { DamagedJournal, type Head } from '../../port/journal.ts'
import type { TablePorts } from './committer.ts'
import { type Row, sumOf } from './guarded-table.ts'

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
  const write = createSnapshotWriter(db)
  const insertChunk = db.prepare('INSERT INTO chunks VALUES (?, ?, ?)')
  const chunkAt = createChunkReader(db)
  /** The hashes of the chunks written so far, by unfinished snapshot. */
  const open = new Map<number, { head: Head; hashes: string[] }>()

  return {
    beginSnapshot,
    writeChunk,
    finishSnapshot,
    abandonSnapshot,
    newestSnapshot,
    readChunk,
    isOpen: (id: number) => open.has(id),
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
    return finishedSnapshots(db).findLast(({ head }) => head.index <= atOrBefore)
  }

  function readChunk(id: number, nth: number): string {
    return chunkAt(id, nth).text
  }

  function opened(id: number) {
    const found = open.get(id)
    if (!found) throw new Error(`Snapshot ${id} is not being written`)
    return found
  }
}

export function createSnapshotWriter(db: DatabaseSync): (row: SnapshotRow) => undefined {
  const put = db.prepare('INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?, ?, ?, ?)')
  return (row) => {
    const columns = columnsOf(row)
    put.run(...columns, sumOf(columns))
  }
}

export const digestOf = (hashes: readonly string[]): string => sha256(hashes.join('\n'))

/** A handful, oldest first: compaction keeps two. */
export function readSnapshots(db: DatabaseSync): readonly SnapshotRow[] {
  return db.prepare('SELECT * FROM snapshots ORDER BY head_index, id').all().map(snapshotOf)
}

export const finishedSnapshots = (db: DatabaseSync): readonly SnapshotRow[] =>
  readSnapshots(db).filter(({ isFinished }) => isFinished)

function snapshotOf(row: Row): SnapshotRow {
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

/** Reads a chunk and compares it with its hash. Throws `DamagedJournal`. */
export function createChunkReader(db: DatabaseSync) {
  const select = db.prepare('SELECT hash, text FROM chunks WHERE place = ?')
  return (snapshot: number, nth: number) => {
    const row = select.get(placeOf(snapshot, nth))
    const what = `Chunk ${nth} of snapshot ${snapshot}`
    if (!row) throw new DamagedJournal(`${what} is missing`)
    const text = String(row.text)
    const hash = sha256(text)
    if (hash !== row.hash) throw new DamagedJournal(`${what} does not match its hash`)
    return { text, hash }
  }
}

const columnsOf = ({ id, head, chunks, digest, isFinished }: SnapshotRow) => [
  id,
  head.index,
  head.hash,
  chunks,
  digest,
  isFinished ? 1 : 0,
]
