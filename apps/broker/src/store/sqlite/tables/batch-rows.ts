import type { Appended, SealedBatch } from '../../port/journal.ts'
import { troubleOf } from '../disk/sqlite-error.ts'
import type { TablePorts } from './committer.ts'
import type { Row } from './guarded-table.ts'

const READ_ROWS_MAX = 512
const READ_CHARACTERS_MAX = 4 * 1024 * 1024

export function createBatchRows({ db, committer }: TablePorts) {
  const insert = db.prepare('INSERT INTO batches VALUES (?, ?, ?, ?, ?)')
  const select = db.prepare('SELECT writer, hash FROM batches WHERE idx = ?')
  const page = db.prepare('SELECT * FROM batches WHERE idx BETWEEN ? AND ? ORDER BY idx')

  return { append, readBatches }

  function append(batch: SealedBatch): Appended {
    try {
      return place(batch)
    } catch (error) {
      // Full or busy: nothing was written, and the identical batch may come again. Everything else
      // leaves us not knowing what the disk has, and goes on to end the process.
      if (troubleOf(error) !== 'refused') throw error
      return { kind: 'unknown', cause: error as Error }
    }
  }

  function place({ index, writer, previous, hash, text }: SealedBatch): Appended {
    const { head, headWriter } = committer.state()
    if (index === head.index + 1 && previous === head.hash) {
      committer.append({ index, hash }, writer, () => {
        insert.run(index, writer, previous, hash, text)
      })
      return { kind: 'committed' }
    }
    const there = select.get(index)
    if (there?.hash !== hash) return { kind: 'fenced', by: String(there?.writer ?? headWriter) }
    // The same bytes again: the first answer was lost, perhaps with the witness's note.
    committer.attest()
    return { kind: 'committed' }
  }

  /** As many as fit one message. */
  function readBatches(from: number, until: number): readonly SealedBatch[] {
    const batches: SealedBatch[] = []
    let characters = 0
    for (const row of page.iterate(from, Math.min(until, from + READ_ROWS_MAX - 1))) {
      const batch = batchOf(row)
      batches.push(batch)
      characters += batch.text.length
      if (characters > READ_CHARACTERS_MAX) break
    }
    return batches
  }
}

export const batchOf = (row: Row): SealedBatch => ({
  index: Number(row.idx),
  writer: String(row.writer),
  previous: String(row.previous),
  hash: String(row.hash),
  text: String(row.text),
})
