import type { Head } from '../../port/journal.ts'
import { keptSnapshots } from '../../port/kept-snapshots.ts'
import type { TablePorts } from './committer.ts'
import {
  CHUNKS_MAX,
  createSnapshotWriter,
  finishedSnapshots,
  placeOf,
  readSnapshots,
} from './snapshot-rows.ts'

type Ports = TablePorts &
  Readonly<{
    isOpen(snapshot: number): boolean
    /** Takes what must outlive these batches, in the transaction that deletes them. */
    keepGrounds(after: Head, through: number): void
  }>

/** One step is one small transaction, some 10 ms, so that appends in between hardly wait. */
const STEP_BATCHES = 100
const STEP_BYTES = 256 * 1024
const STEP_CHUNKS = 4

/** Removes what is no longer needed, a step at a time. */
export function createCompaction({ db, committer, isOpen, keepGrounds }: Ports) {
  const oldest = db.prepare(
    `SELECT idx, hash, octet_length(text) AS bytes FROM batches
      WHERE idx <= ? ORDER BY idx LIMIT ?`,
  )
  const deleteBatches = db.prepare('DELETE FROM batches WHERE idx <= ?')
  const write = createSnapshotWriter(db)
  const deleteSnapshot = db.prepare('DELETE FROM snapshots WHERE id = ?')
  const deleteChunks = db.prepare(
    `DELETE FROM chunks WHERE place IN
      (SELECT place FROM chunks WHERE place BETWEEN ? AND ? LIMIT ?)`,
  )
  return { compactStep, sweepStep }

  /** Says whether there is more to do. */
  function compactStep(keepFrom: number, also: readonly number[]): boolean {
    const snapshots = finishedSnapshots(db)
    const { floor } = committer.state()
    const { anchor, kept } = keptSnapshots(snapshots, { floor, keepFrom, also })
    const superfluous = snapshots.find((one) => !kept.includes(one))
    if (superfluous) {
      // First out of sight, then piece by piece.
      committer.transact(() => write({ ...superfluous, isFinished: false }))
      return true
    }
    return anchor && floor.index < anchor.head.index ? forget(anchor.head.index) : sweepStep()
  }

  /** Removes what a killed or abandoned snapshot has left, and those that compaction dropped. */
  function sweepStep(): boolean {
    const leftover = readSnapshots(db).find((one) => !one.isFinished && !isOpen(one.id))
    if (!leftover) return false
    const { id } = leftover
    committer.transact(() => {
      const { changes } = deleteChunks.run(placeOf(id, 0), placeOf(id, CHUNKS_MAX - 1), STEP_CHUNKS)
      if (changes === 0) deleteSnapshot.run(id)
      return undefined
    })
    return true
  }

  function forget(until: number): true {
    const before = committer.state().floor
    let bytes = 0
    let floor = before
    for (const row of oldest.iterate(until, STEP_BATCHES)) {
      floor = { index: Number(row.idx), hash: String(row.hash) }
      bytes += Number(row.bytes)
      if (bytes > STEP_BYTES) break
    }
    committer.transact(() => {
      keepGrounds(before, floor.index)
      deleteBatches.run(floor.index)
      return { floor }
    })
    return true
  }
}
