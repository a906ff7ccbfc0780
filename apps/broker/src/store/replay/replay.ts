import type { ImagePart, Ledger } from '@bourse/domain/ledger'
import type { Published } from '../../ledger/writer/ledger-writer.ts'
import { NO_HEAD, openBatch } from '../codec/batch.ts'
import { createPartDecoder } from '../codec/image-codec.ts'
import type { Head, ReadableJournal } from '../port/journal.ts'

type Ports = Readonly<{
  journal: ReadableJournal
  ledger: Pick<Ledger, 'load' | 'apply'>
  /** What passes by, for readers that keep up with the ledger (history, audit). */
  onPart?(part: ImagePart): void
  /** Between the snapshot, if there is one, and the batches after it. */
  onLoaded?(): Promise<void>
  onBatch?(batch: Published): void
}>

export type Replayed = Readonly<{
  /** Where the journal ends: the next batch follows this one. */
  head: Head
  /** When the last batch was sealed; 0 if there is none after the snapshot. */
  lastAt: number
  parts: number
  batches: number
  events: number
  tookMs: number
}>

/** Memory as it was: the newest snapshot, then every batch after it. Throws `DamagedJournal`. */
export async function replay(ports: Ports): Promise<Replayed> {
  const startedAt = performance.now()
  const { head: from, parts } = await loadSnapshot(ports)
  await ports.onLoaded?.()
  const tail = await applyTail(ports, from)
  return { ...tail, parts, tookMs: Math.round(performance.now() - startedAt) }
}

export async function loadSnapshot({ journal, ledger, onPart }: Ports, atOrBefore?: number) {
  const snapshot = await journal.latestSnapshot(atOrBefore)
  if (!snapshot) return { head: NO_HEAD, parts: 0 }
  const decode = createPartDecoder()
  let parts = 0
  for await (const chunk of snapshot.chunks()) {
    const part = decode(chunk)
    ledger.load(part)
    onPart?.(part)
    parts++
  }
  return { head: snapshot.head, parts }
}

async function applyTail({ journal, ledger, onBatch }: Ports, from: Head) {
  let head = from
  let lastAt = 0
  let events = 0
  for await (const sealed of journal.read(from.index + 1)) {
    const batch = openBatch(sealed, head)
    for (const event of batch.events) ledger.apply(event)
    onBatch?.({ ...batch, text: sealed.text })
    events += batch.events.length
    lastAt = batch.at
    head = { index: sealed.index, hash: sealed.hash }
  }
  return { head, lastAt, batches: head.index - from.index, events }
}
