import { openBatch } from '../codec/batch.ts'
import { decodeDecision, decodeEnded } from '../codec/history-codec.ts'
import { createPartDecoder } from '../codec/image-codec.ts'
import { type HistoryBatch, NO_HISTORY } from '../port/history.ts'
import {
  appendOrThrow,
  DamagedJournal,
  type SealedBatch,
  type SnapshotSink,
} from '../port/journal.ts'
import type { Store } from '../port/store.ts'
import type { BackupRecord, HistoryRecord } from './backup-format.ts'
import { foundAnew } from './found-anew.ts'

type RecordOf<K extends BackupRecord['kind']> = Extract<BackupRecord, { kind: K }>

const ITEMS_PER_WRITE = 256

/** Puts the records of an export into any journal and history. */
export function createImporter({ journal, history }: Pick<Store, 'journal' | 'history'>) {
  let sink: SnapshotSink | undefined
  let chunksLeft = 0
  let decode = createPartDecoder()
  let ledgerId = ''
  let lastAt = 0
  let items: HistoryRecord[] = []
  let expected: RecordOf<'ledger'> | undefined

  return { take, end }

  async function take(record: BackupRecord): Promise<void> {
    switch (record.kind) {
      case 'ledger':
        expected = record
        return
      case 'snapshot':
        return beginSnapshot(record)
      case 'chunk':
        return takeChunk(record.text)
      case 'batch':
        return takeBatch(record.batch)
      case 'decision':
      case 'ended':
      case 'tombstone':
        items.push(record)
        return items.length >= ITEMS_PER_WRITE ? writeItems() : undefined
      case 'end':
        return
    }
  }

  async function beginSnapshot({ head, chunks }: RecordOf<'snapshot'>): Promise<void> {
    sink = await journal.beginSnapshot(head)
    chunksLeft = chunks
    decode = createPartDecoder()
    if (chunks === 0) await sink.finish()
  }

  async function takeChunk(text: string): Promise<void> {
    const part = decode(text)
    if (part.kind === 'header') {
      ledgerId = part.ledgerId
      lastAt = Math.max(lastAt, part.lastAt)
    }
    await sink?.write(text)
    chunksLeft--
    if (chunksLeft === 0) await sink?.finish()
  }

  async function takeBatch(batch: SealedBatch): Promise<void> {
    const { at, events } = openBatch(batch, await journal.head())
    for (const event of events) if (event.kind === 'founded') ledgerId = event.ledgerId
    lastAt = Math.max(lastAt, at)
    await appendOrThrow(journal, batch)
  }

  async function writeItems(through = 0): Promise<void> {
    await history.record({ ...historyBatchOf(items), through })
    items = []
  }

  /** `newId`: the ledger goes on under this one. */
  async function end(newId: string | undefined) {
    await writeItems(expected?.historyThrough)
    const head = await journal.head()
    if (head.index !== expected?.head.index || head.hash !== expected.head.hash)
      throw new DamagedJournal(
        `The export ends at batch ${head.index} instead of ${expected?.head.index}`,
      )
    if (newId === undefined) return { head, ledgerId, from: ledgerId }
    const at = Math.max(Date.now(), lastAt)
    const place = { head, from: ledgerId, ledgerId: newId, at, writer: 'import' }
    return { head: await foundAnew(journal, place), ledgerId: newId, from: ledgerId }
  }
}

export function historyBatchOf(items: readonly HistoryRecord[]): HistoryBatch {
  return {
    ...NO_HISTORY,
    decisions: items.flatMap((one) => (one.kind === 'decision' ? [decodeDecision(one.text)] : [])),
    ended: items.flatMap((one) => (one.kind === 'ended' ? [decodeEnded(one.text)] : [])),
    tombstones: items.flatMap((one) => (one.kind === 'tombstone' ? [one.tombstone] : [])),
  }
}
