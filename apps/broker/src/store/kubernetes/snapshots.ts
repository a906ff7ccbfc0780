import { createHash, randomBytes } from 'node:crypto'
import { sha256 } from '../codec/batch.ts'
import {
  CompactedAway,
  DamagedJournal,
  type Head,
  type SnapshotSink,
  type StoredSnapshot,
} from '../port/journal.ts'
import type { Catalogue, Claim, Contents, Entry } from './catalogue.ts'
import { type ChunkSpec, chunkName } from './kinds.ts'
import { checkFits, pack, unpack } from './packed-text.ts'
import type { ObjectStore } from './places.ts'

type Ports = Readonly<{
  stored: ObjectStore<ChunkSpec>
  catalogue: Catalogue
  /** Where the journal ends: a snapshot beyond it was imported. */
  head(): Head
  startAfter(imported: Head): void
}>

/** So many snapshots can be there at once; their names are used again and again. */
const GENERATIONS_MAX = 8

/**
 * Snapshots in pieces. Their names are few and fixed: what is written replaces what is unused.
 *
 * A broker that wakes up from a long sleep in the middle of a snapshot must not write into one
 * that another has finished under the same names. So: first claim a generation of names in the
 * catalogue, then read their versions, and from then on replace these versions only. A
 * broker that claims the same names later changes the versions, and the sleeper meets a conflict.
 */
export function createSnapshots({ stored, catalogue, head, startAfter }: Ports) {
  return { begin, open }

  async function begin(at: Head): Promise<SnapshotSink> {
    const id = `${at.index}-${randomBytes(4).toString('hex')}`
    await catalogue.refresh()
    await catalogue.change((now) => claimed(now, id))
    // The change went through, so this is what we wrote.
    const { generation } = catalogue.claim() as Claim
    const versions = await versionsOf(generation)
    const digest = createHash('sha256')
    let chunks = 0
    const replace = (nth: number, spec: ChunkSpec) =>
      stored.put(chunkName(generation, nth), spec, versions[nth])
    return {
      async write(text) {
        const packed = await pack(text)
        checkFits(packed, `Chunk ${chunks} of snapshot ${id}`)
        const hash = sha256(text)
        await replace(chunks, { snapshot: id, nth: chunks, hash, ...packed })
        digest.update(hash)
        chunks++
      },
      async finish() {
        // What a longer one before it has left takes no room.
        for (let nth = chunks; nth < versions.length; nth++) await replace(nth, { ...BLANK, nth })
        await finish({ id, generation, head: at, chunks, digest: digest.digest('hex') })
      },
      // The next one that is begun takes the same names.
      abandon: async () => {},
    }
  }

  async function versionsOf(generation: number): Promise<string[]> {
    const versions: string[] = []
    for (;;) {
      const kept = await stored.read(chunkName(generation, versions.length))
      if (!kept) return versions
      versions.push(kept.version)
    }
  }

  /** From here on it is seen, and batches that it covers may be overwritten. */
  async function finish(entry: Entry): Promise<void> {
    if (catalogue.claim()?.id !== entry.id) throw new Error('Another broker is writing a snapshot.')
    const isImported = entry.head.index > head().index
    await catalogue.change(({ v, floor, snapshots }) => ({
      v,
      floor: isImported ? entry.head : floor,
      snapshots: [...snapshots, entry].toSorted((one, other) => one.head.index - other.head.index),
    }))
    if (isImported) startAfter(entry.head)
  }

  async function open(atOrBefore?: number): Promise<StoredSnapshot | undefined> {
    await catalogue.refresh()
    const entry = catalogue.newest(atOrBefore)
    return entry && { head: entry.head, chunks: () => chunksOf(entry) }
  }

  async function* chunksOf(entry: Entry): AsyncGenerator<string> {
    const digest = createHash('sha256')
    for (let nth = 0; nth < entry.chunks; nth++) {
      const kept = await stored.read(chunkName(entry.generation, nth))
      if (kept?.spec.snapshot !== entry.id) throw await whyMissing(entry)
      const text = await unpack(kept.spec)
      if (sha256(text) !== kept.spec.hash)
        throw new DamagedJournal(`Chunk ${nth} of snapshot ${entry.id} does not match its hash`)
      digest.update(kept.spec.hash)
      yield text
    }
    if (digest.digest('hex') !== entry.digest)
      throw new DamagedJournal(
        `Snapshot ${entry.id} is not made of the chunks it was finished with`,
      )
  }

  /** Its name may have been given to a newer one while it was being read. */
  async function whyMissing({ id, head: at }: Entry): Promise<Error> {
    await catalogue.refresh()
    return catalogue.snapshots().some((entry) => entry.id === id)
      ? new DamagedJournal(`Snapshot ${id} has lost a chunk`)
      : new CompactedAway(at.index, catalogue.floor())
  }
}

/** Takes names that no finished snapshot has; if there are none, those of the oldest. */
function claimed(now: Contents, id: string): Contents {
  const { snapshots, floor } = now
  const taken = new Set(snapshots.map(({ generation }) => generation))
  for (let generation = 0; generation < GENERATIONS_MAX; generation++)
    if (!taken.has(generation)) return { ...now, writing: { id, generation } }
  const [oldest, next] = snapshots
  if (!oldest || !next) throw new Error(`There is no room for snapshot ${id}.`)
  return {
    v: now.v,
    floor: next.head.index > floor.index ? next.head : floor,
    snapshots: snapshots.slice(1),
    writing: { id, generation: oldest.generation },
  }
}

const BLANK = { snapshot: '', hash: '', encoding: 'plain', text: '' } as const
