import type { LedgerEvent, Reservation } from '@bourse/domain/ledger'
import { sealBatch } from '../codec/batch.ts'
import type { Head, Journal, SealedBatch } from '../port/journal.ts'

/** Builders for tests: they show only what matters there. */
export const aReservation = (id: string, changes: Partial<Reservation> = {}): Reservation => ({
  id,
  requester: 'rome',
  door: 'rest',
  wanted: { cpu: 2_000n, memory: 4_294_967_296n },
  priority: 0,
  legs: [{ clusterId: 'paris', resources: { cpu: 2_000n, memory: 4_294_967_296n } }],
  phase: 'Reserved',
  createdAt: 1_000,
  startsAt: 1_000,
  decidedIndex: 1,
  changedIndex: 1,
  ...changes,
})

export const staled = (clusterId: string): LedgerEvent => ({ kind: 'staled', at: 1_000, clusterId })

type Written = Readonly<{ writer?: string; at?: number; events?: readonly LedgerEvent[] }>

export const aBatch = (
  before: Head,
  { writer = 'broker-a', at = 1_000, events = [staled('paris')] }: Written = {},
): SealedBatch => sealBatch({ index: before.index + 1, writer, previous: before.hash, at, events })

/** Appends `count` small batches and returns where the journal then ends. */
export async function appendSome(journal: Journal, count: number, writer?: string): Promise<Head> {
  let head = await journal.head()
  for (let nth = 0; nth < count; nth++) {
    const batch = aBatch(head, { events: [staled(`cluster-${nth}`)], ...(writer && { writer }) })
    await journal.append(batch)
    head = { index: batch.index, hash: batch.hash }
  }
  return head
}

export async function takeSnapshot(journal: Journal, head: Head, chunks: readonly string[]) {
  const sink = await journal.beginSnapshot(head)
  for (const chunk of chunks) await sink.write(chunk)
  await sink.finish()
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}
