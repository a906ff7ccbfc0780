import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type { Head } from '../port/journal.ts'
import { openReading, type StoreReading } from '../sqlite/store-reading.ts'
import {
  BACKUP_VERSION,
  type BackupCounts,
  type BackupRecord,
  countIn,
  NO_COUNTS,
} from './backup-format.ts'
import { historyRecords } from './history-records.ts'

export type Exported = BackupCounts & Readonly<{ head: Head }>

/** Writes one moment of a store, also of a running broker. The stream stays open for the caller. */
export async function exportStore(dataDir: string, into: Writable): Promise<Exported> {
  const reading = openReading(dataDir)
  try {
    const counts = await writeRecords(recordsOf(reading), into)
    return { ...counts, head: reading.state.head }
  } finally {
    reading.close()
  }
}

async function writeRecords(records: Iterable<BackupRecord>, into: Writable) {
  const digest = createHash('sha256')
  let counts = NO_COUNTS
  let lines = 0
  for (const record of records) {
    const line = `${JSON.stringify(record)}\n`
    digest.update(line)
    counts = countIn(counts, record)
    lines++
    await write(line)
  }
  await write(`${JSON.stringify({ kind: 'end', records: lines, digest: digest.digest('hex') })}\n`)
  return counts

  async function write(line: string): Promise<void> {
    if (!into.write(line)) await once(into, 'drain')
  }
}

function* recordsOf(reading: StoreReading): Generator<BackupRecord> {
  const { head, historyThrough } = reading.state
  yield { kind: 'ledger', v: BACKUP_VERSION, head, historyThrough }
  yield* journalOf(reading)
  yield* historyRecords(reading, startOf(reading).index)
}

/** Batches before the oldest snapshot lead nowhere once the very first ones are gone. */
function startOf({ state, snapshots }: StoreReading): Head {
  const first = state.floor.index > 0 ? snapshots[0] : undefined
  return first?.head ?? state.floor
}

/** Each snapshot where it belongs: after the batch whose state it is. */
function* journalOf(reading: StoreReading): Generator<BackupRecord> {
  const { snapshots } = reading
  const from = startOf(reading)
  let next = 0
  yield* snapshotsUpTo(from.index)
  for (const batch of reading.batches(from.index + 1)) {
    yield { kind: 'batch', batch }
    yield* snapshotsUpTo(batch.index)
  }

  function* snapshotsUpTo(index: number): Generator<BackupRecord> {
    for (let one = snapshots[next]; one && one.head.index <= index; one = snapshots[++next]) {
      yield { kind: 'snapshot', head: one.head, chunks: one.chunks }
      for (const text of reading.chunks(one)) yield { kind: 'chunk', text }
    }
  }
}
