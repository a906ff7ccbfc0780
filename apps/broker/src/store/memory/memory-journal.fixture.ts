import { NO_HEAD } from '../codec/batch.ts'
import {
  type Appended,
  CompactedAway,
  type Head,
  type Journal,
  type SealedBatch,
  type SnapshotSink,
  type StoredSnapshot,
} from '../port/journal.ts'

type HeldSnapshot = Readonly<{ head: Head; chunks: readonly string[] }>

/** What outlives a memory journal: several journals on one backing contend as two brokers would. */
export type MemoryBacking = {
  head: Head
  headWriter: string
  readonly batches: Map<number, SealedBatch>
  snapshots: readonly HeldSnapshot[]
}

export const createMemoryBacking = (): MemoryBacking => ({
  head: NO_HEAD,
  headWriter: '',
  batches: new Map(),
  snapshots: [],
})

/** For tests: a journal that forgets everything when its backing does. */
export function createMemoryJournal(backing: MemoryBacking = createMemoryBacking()): Journal {
  return {
    head: async () => backing.head,
    append: async (batch) => appendTo(backing, batch),
    read: (from) => readFrom(backing, from),
    beginSnapshot: async (head) => sinkInto(backing, head),
    latestSnapshot: async (atOrBefore) => newestOf(backing.snapshots, atOrBefore),
    compact: async (keepFrom, also = []) => compactTo(backing, keepFrom, also),
    close: async () => {},
  }
}

function appendTo(backing: MemoryBacking, batch: SealedBatch): Appended {
  const { head, batches } = backing
  if (batch.index === head.index + 1 && batch.previous === head.hash) {
    batches.set(batch.index, batch)
    backing.head = { index: batch.index, hash: batch.hash }
    backing.headWriter = batch.writer
    return { kind: 'committed' }
  }
  const there = batches.get(batch.index)
  if (there?.hash === batch.hash) return { kind: 'committed' }
  return { kind: 'fenced', by: there?.writer ?? backing.headWriter }
}

async function* readFrom(backing: MemoryBacking, from: number): AsyncGenerator<SealedBatch> {
  const until = backing.head.index
  for (let index = from; index <= until; index++) {
    const batch = backing.batches.get(index)
    if (!batch) throw new CompactedAway(index, floorOf(backing))
    yield batch
  }
}

function sinkInto(backing: MemoryBacking, head: Head): SnapshotSink {
  const chunks: string[] = []
  return {
    write: async (chunk) => {
      chunks.push(chunk)
    },
    finish: async () => {
      backing.snapshots = [...backing.snapshots, { head, chunks }]
      if (head.index > backing.head.index) backing.head = head
    },
    abandon: async () => {
      chunks.length = 0
    },
  }
}

function newestOf(
  snapshots: readonly HeldSnapshot[],
  atOrBefore = Number.POSITIVE_INFINITY,
): StoredSnapshot | undefined {
  const newest = snapshots
    .filter(({ head }) => head.index <= atOrBefore)
    .reduce<HeldSnapshot | undefined>(
      (best, one) => (best && best.head.index > one.head.index ? best : one),
      undefined,
    )
  if (!newest) return undefined
  const { head, chunks } = newest
  return {
    head,
    async *chunks() {
      yield* chunks
    },
  }
}

function compactTo(backing: MemoryBacking, keepFrom: number, also: readonly number[]): void {
  const { snapshots, batches } = backing
  const floor = floorOf(backing)
  const oldest = snapshots.toSorted((one, other) => one.head.index - other.head.index)[0]
  // Without its first batches, a journal can be replayed from its oldest snapshot at the earliest.
  const anchor = newestOf(snapshots, keepFrom - 1) ?? (floor.index > 0 ? oldest : undefined)
  const kept = new Set([newestOf(snapshots)?.head.index, anchor?.head.index, ...also])
  backing.snapshots = snapshots.filter(({ head }) => kept.has(head.index))
  for (const index of batches.keys())
    if (anchor && index <= anchor.head.index) batches.delete(index)
}

function floorOf({ batches, head }: MemoryBacking): Head {
  const [first] = batches.values()
  return first ? { index: first.index - 1, hash: first.previous } : head
}
