import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { openPlace, type StorePlace } from '../opening/store-place.ts'
import type { HistoryBatch } from '../port/history.ts'
import { CompactedAway } from '../port/journal.ts'
import type { SharedStore } from '../port/store.ts'
import { StoreUnusable } from '../port/store-unusable.ts'
import { openSqliteStore, type SqliteStore } from '../sqlite/sqlite-store.ts'
import { type Exported, exportStore } from './export-store.ts'

type Source = Pick<SharedStore, 'journal' | 'everything'>

/** A broker under load may replace what is being read; it cannot go on doing so for ever. */
const COPIES_MAX = 5

/** Writes one moment of a store on an API server or in a database, also beside its brokers. */
export async function exportElsewhere(place: StorePlace, into: Writable): Promise<Exported> {
  const scratch = mkdtempSync(join(tmpdir(), 'bourse-export-'))
  await using closing = new AsyncDisposableStack()
  closing.defer(() => rmSync(scratch, { recursive: true, force: true }))
  const source = await openPlace(place, join(scratch, 'source'), closing)
  // Awaited here: what was opened is closed when this function ends.
  return await exportFrom(source, into, scratch)
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

async function copied(source: Source, dataDir: string): Promise<true> {
  let failure: Error | undefined
  const crash = (cause: Error) => {
    failure = cause
  }
  const copy = await openSqliteStore({ dataDir, crash })
  try {
    await copyJournal(source, copy)
    // After the journal: what a snapshot no longer has is in the history from then on.
    await copyHistory(source, copy)
    if (failure) throw failure
    return true
  } finally {
    await copy.close()
  }
}

async function copyJournal({ journal }: Source, copy: SqliteStore): Promise<void> {
  if ((await journal.head()).index === 0)
    throw new StoreUnusable(
      'There is no ledger in this store',
      'Check --store-namespace, or the database that BOURSE_POSTGRES_URL names',
    )
  const snapshot = await journal.latestSnapshot()
  if (snapshot) {
    const sink = await copy.journal.beginSnapshot(snapshot.head)
    for await (const chunk of snapshot.chunks()) await sink.write(chunk)
    await sink.finish()
  }
  for await (const batch of journal.read((snapshot?.head.index ?? 0) + 1)) {
    const appended = await copy.journal.append(batch)
    if (appended.kind !== 'committed')
      throw new Error(`Batch ${batch.index} could not be copied (${appended.kind})`)
  }
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
