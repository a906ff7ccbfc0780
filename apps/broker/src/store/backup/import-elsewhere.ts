import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { createLedger, partsOf } from '@bourse/domain/ledger'
import { decodeDecision, decodeEnded } from '../codec/history-codec.ts'
import { createHistoryKeeper } from '../history/history-keeper.ts'
import { openPlace, REPLAY_SETTINGS, type StorePlace } from '../opening/store-place.ts'
import { type HistoryBatch, NO_HISTORY, type Tombstone } from '../port/history.ts'
import type { Store } from '../port/store.ts'
import { StoreUnusable } from '../port/store-unusable.ts'
import { replay } from '../replay/replay.ts'
import { chunksOf } from '../snapshots/snapshotter.ts'
import { openReading, type StoreReading } from '../sqlite/store-reading.ts'
import { groundsWithout } from './grounds-beside-rows.ts'
import { type Imported, type ImportOptions, importStore } from './import-store.ts'

type Target = Pick<Store, 'journal' | 'history' | 'secureHistory'>

const ROWS_PER_WRITE = 256

/** Fills an empty store on an API server or in a database from an export. */
export async function importElsewhere(
  input: Readable,
  place: StorePlace,
  options: ImportOptions = {},
): Promise<Imported> {
  const scratch = mkdtempSync(join(tmpdir(), 'bourse-import-'))
  await using closing = new AsyncDisposableStack()
  closing.defer(() => rmSync(scratch, { recursive: true, force: true }))
  const target = await openPlace(place, scratch, closing)
  // Awaited here: what was opened is closed when this function ends.
  return await importInto(input, target, { ...options, scratch: join(scratch, 'staging') })
}

/**
 * An export may hold more batches, and longer ones, than a shared store has room for. So it is
 * verified and replayed beside, and only the state that comes out is written, as one snapshot.
 */
export async function importInto(
  input: Readable,
  target: Target,
  { scratch, ...options }: ImportOptions & Readonly<{ scratch: string }>,
): Promise<Imported> {
  await checkEmpty(target)
  const imported = await importStore(input, scratch, options)
  const reading = openReading(scratch)
  try {
    await writeState(reading, target)
    for (const batch of historyBatchesOf(reading)) await target.history.record(batch)
    await target.secureHistory?.()
    return imported
  } finally {
    reading.close()
  }
}

async function checkEmpty({ journal }: Target): Promise<void> {
  const { index } = await journal.head()
  if (index > 0)
    throw new StoreUnusable(
      `The store holds a ledger already, at index ${index}, and an import would replace it`,
      'Choose an empty namespace or database',
    )
}

async function writeState({ journal, state }: StoreReading, target: Target): Promise<void> {
  const ledger = createLedger(REPLAY_SETTINGS)
  // The grounds of the last decisions are in batches alone, which are not written here.
  const keeper = createHistoryKeeper({
    history: target.history,
    note: async () => {},
    forget: async () => {},
    recordedThrough: state.historyThrough,
  })
  const { head } = await replay({ journal, ledger, onBatch: keeper.take })
  await keeper.close()
  const lag = keeper.trouble()
  if (lag !== undefined) throw new Error(`The history could not be written: ${lag}`)
  const sink = await target.journal.beginSnapshot(head)
  for (const part of partsOf(ledger.capture()))
    for (const chunk of chunksOf(part)) await sink.write(chunk)
  await sink.finish()
}

function* historyBatchesOf(reading: StoreReading): Generator<HistoryBatch> {
  for (const texts of inPieces(groundsWithout(reading, unreplayed(reading))))
    yield { ...NO_HISTORY, decisions: texts.map(decodeDecision) }
  for (const texts of inPieces(columnOf(reading.rows('ended'), 'text')))
    yield { ...NO_HISTORY, ended: texts.map(decodeEnded) }
  // The rows' checksums have been verified: this is what `rowsOf` wrote.
  for (const texts of inPieces(columnOf(reading.rows('requests'), 'tombstone')))
    yield { ...NO_HISTORY, tombstones: texts.map((text) => JSON.parse(text) as Tombstone) }
  yield { ...NO_HISTORY, through: reading.state.head.index }
}

/** Of later batches, the keeper has taken the grounds as they were replayed. */
function unreplayed({ state, snapshots }: StoreReading): number {
  return Math.max(state.historyThrough, snapshots.at(-1)?.head.index ?? 0)
}

function* columnOf(
  rows: Iterable<Readonly<Record<string, unknown>>>,
  column: string,
): Generator<string> {
  for (const row of rows) if (row[column] !== null) yield String(row[column])
}

function* inPieces(texts: Iterable<string>): Generator<string[]> {
  let piece: string[] = []
  for (const text of texts) {
    piece.push(text)
    if (piece.length < ROWS_PER_WRITE) continue
    yield piece
    piece = []
  }
  if (piece.length > 0) yield piece
}
