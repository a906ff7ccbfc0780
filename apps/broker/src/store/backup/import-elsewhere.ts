import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { createLedger, type Ledger, partsOf } from '@bourse/domain/ledger'
import { createHistoryKeeper } from '../history/history-keeper.ts'
import { REPLAY_SETTINGS, type StorePlace, withPlace } from '../opening/store-place.ts'
import { NO_HISTORY } from '../port/history.ts'
import { writeSnapshot } from '../port/journal.ts'
import type { Store } from '../port/store.ts'
import { StoreUnusable } from '../port/store-errors.ts'
import { replay } from '../replay/replay.ts'
import { chunksOf } from '../snapshots/snapshotter.ts'
import { openReading, type StoreReading } from '../sqlite/store-reading.ts'
import { historyRecords } from './history-records.ts'
import { type Imported, type ImportOptions, importStore } from './import-store.ts'
import { historyBatchOf } from './importer.ts'

type Target = Pick<Store, 'journal' | 'history' | 'secureHistory'>

const ROWS_PER_WRITE = 256

/** Fills an empty store on an API server or in a database from an export. */
export function importElsewhere(
  input: Readable,
  place: StorePlace,
  options: ImportOptions = {},
): Promise<Imported> {
  return withPlace(place, (target, scratch) =>
    importInto(input, target, { ...options, scratch: join(scratch, 'staging') }),
  )
}

/**
 * An export may hold more batches, and longer ones, than a shared store has room for. So it is
 * verified and replayed on the side, and only the resulting state is written, as one snapshot.
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
    await writeHistory(reading, target)
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
  await writeSnapshot(target.journal, head, chunksOfAll(ledger))
}

function* chunksOfAll(ledger: Ledger): Generator<string> {
  for (const part of partsOf(ledger.capture())) yield* chunksOf(part)
}

async function writeHistory(reading: StoreReading, { history, secureHistory }: Target) {
  for (const records of inPieces(historyRecords(reading, unreplayed(reading))))
    await history.record(historyBatchOf(records))
  await history.record({ ...NO_HISTORY, through: reading.state.head.index })
  await secureHistory?.()
}

/** Of later batches, the keeper has taken the grounds as they were replayed. */
function unreplayed({ state, snapshots }: StoreReading): number {
  return Math.max(state.historyThrough, snapshots.at(-1)?.head.index ?? 0)
}

function* inPieces<T>(items: Iterable<T>): Generator<T[]> {
  let piece: T[] = []
  for (const item of items) {
    piece.push(item)
    if (piece.length < ROWS_PER_WRITE) continue
    yield piece
    piece = []
  }
  if (piece.length > 0) yield piece
}
