import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { type StorePlace, withPlace } from '../opening/store-place.ts'
import type { HistoryBatch } from '../port/history.ts'
import { appendOrThrow, CompactedAway, writeSnapshot } from '../port/journal.ts'
import type { SharedStore } from '../port/store.ts'
import { StoreUnusable } from '../port/store-errors.ts'
import type { SqliteStore } from '../sqlite/sqlite-store.ts'
import { withStore } from '../sqlite/with-store.ts'
import { type Exported, exportStore } from './export-store.ts'

type Source = Pick<SharedStore, 'journal' | 'everything'>

/** A broker under load may replace what is being read; it cannot go on doing so for ever. */
const COPIES_MAX = 5

/** Writes one moment of a store on an API server or in a database, also while its brokers run. */
export function exportElsewhere(place: StorePlace, into: Writable): Promise<Exported> {
  return withPlace(place, (source, scratch) => exportFrom(source, into, scratch))
}

/** By way of an embedded store: all of it is read and verified before the first line is out. */
export async function exportFrom(
  source: Source,
  into: Writable,
  scratch: string,
): Promise<Exported> {
  for (let copies = 1; ; copies++) {
    const directory = join(scratch, `copy-${copies}`)
    const isCopied = await copied(source, directory).catch((thrown: unknown) => {
      if (thrown instanceof CompactedAway && copies < COPIES_MAX) return false
      throw thrown
    })
    if (isCopied) return exportStore(directory, into)
  }
}

async function copied(source: Source, dataDir: string): Promise<boolean> {
  return withStore(dataDir, async (copy) => {
    await copyJournal(source, copy)
    // After the journal: what a snapshot no longer has is in the history from then on.
    await copyHistory(source, copy)
    return true
  })
}

async function copyJournal({ journal }: Source, copy: SqliteStore): Promise<void> {
  if ((await journal.head()).index === 0)
    throw new StoreUnusable(
      'There is no ledger in this store',
      'Check --store-namespace, or the database that BOURSE_POSTGRES_URL names',
    )
  const snapshot = await journal.latestSnapshot()
  if (snapshot) await writeSnapshot(copy.journal, snapshot.head, snapshot.chunks())
  for await (const batch of journal.read((snapshot?.head.index ?? 0) + 1))
    await appendOrThrow(copy.journal, batch)
}

async function copyHistory({ everything }: Source, { journal, history }: SqliteStore) {
  const { index } = await journal.head()
  for await (const batch of everything()) await history.record(upTo(index, batch))
}

/** Without what happened after the moment of the export: to the restored ledger it has not. */
function upTo(
  index: number,
  { through, decisions, ended, tombstones }: HistoryBatch,
): HistoryBatch {
  return {
    through: Math.min(through, index),
    decisions: decisions.filter((one) => one.index <= index),
    ended: ended.filter((one) => one.changedIndex <= index),
    tombstones,
  }
}
