import { isAlreadyExists, isConflict } from '@bourse/kube'
import { sendThenAnswerNextTurn } from '../port/commit-order.ts'
import {
  type Appended,
  CompactedAway,
  type Head,
  type Journal,
  MissingBatch,
  type Room,
  readAhead,
  type SealedBatch,
  unknownOutcome,
} from '../port/journal.ts'
import { keptSnapshots } from '../port/kept-snapshots.ts'
import { type Catalogue, openCatalogue } from './catalogue.ts'
import {
  type ChunkSpec,
  journalSlotKind,
  type Objects,
  type SlotSpec,
  snapshotChunkKind,
} from './kinds.ts'
import { createObjectStore } from './places.ts'
import { openRing } from './ring.ts'
import { createSnapshots } from './snapshots.ts'

type Settings = Readonly<{
  objects: Objects
  namespace: string
  /** Of a new journal; one that exists keeps the number it was begun with. */
  slots?: number
}>

export type KubernetesJournal = Journal &
  Required<Pick<Journal, 'follow' | 'batchCharactersMax' | 'room'>>

const SLOTS_DEFAULT = 1_024
/** Far below what a slot holds even if nothing in it can be compressed. */
const BATCH_CHARACTERS_MAX = 512 * 1024
const READ_AHEAD = 8
/** Of one batch, while others touch its slot: more than that and its caller should hear of it. */
const ATTEMPTS_MAX = 8

/** The journal as objects of the API server: a ring of slots, which are never deleted. */
export async function openKubernetesJournal(settings: Settings): Promise<KubernetesJournal> {
  const { objects, namespace, slots = SLOTS_DEFAULT } = settings
  const stored = createObjectStore<ChunkSpec>({ objects, kind: snapshotChunkKind, namespace })
  const slotObjects = createObjectStore<SlotSpec>({ objects, kind: journalSlotKind, namespace })
  const catalogue = await openCatalogue(stored)
  const ring = await openRing(slotObjects, slots)
  const imported = catalogue.newest()?.head
  if (imported) ring.startAfter(imported)
  const { head, startAfter } = ring
  const snapshots = createSnapshots({ stored, catalogue, head, startAfter })

  return {
    batchCharactersMax: BATCH_CHARACTERS_MAX,
    commitOrder: sendThenAnswerNextTurn,
    room,
    head: async () => {
      await ring.catchUp()
      return ring.head()
    },
    append,
    read,
    follow,
    beginSnapshot: snapshots.begin,
    latestSnapshot: snapshots.open,
    compact: (keepFrom, also = []) => compact(catalogue, keepFrom, also),
    close: async () => {},
  }

  function room(): Room {
    return { left: ring.size() - (ring.head().index - coveredTo()), of: ring.size() }
  }

  function coveredTo(): number {
    return catalogue.newest()?.head.index ?? 0
  }

  async function append(batch: SealedBatch): Promise<Appended> {
    if (!follows(batch)) return settle(batch).catch(unknownOutcome)
    for (let attempt = 1; ; attempt++) {
      const appended = await attemptToWrite(batch)
      // This index is known to be free, so the next attempt need not wait.
      if (!isTouched(appended) || attempt === ATTEMPTS_MAX) return appended
    }
  }

  function attemptToWrite(batch: SealedBatch): Promise<Appended> {
    return write(batch).catch((thrown: unknown) =>
      // Another writer's batch, or our own whose answer was lost: the slot tells which.
      isConflict(thrown) || isAlreadyExists(thrown)
        ? settle(batch, thrown).catch(unknownOutcome)
        : unknownOutcome(thrown),
    )
  }

  function follows({ index, previous }: SealedBatch): boolean {
    return index === ring.head().index + 1 && previous === ring.head().hash
  }

  async function write(batch: SealedBatch): Promise<Appended> {
    const under = ring.under(batch.index)
    if (under && under.index > coveredTo()) await catalogue.refresh()
    if (under && under.index > coveredTo())
      throw new Error(`All ${ring.size()} slots are taken, and no snapshot covers the oldest.`)
    await ring.write(batch)
    return { kind: 'committed' }
  }

  /** A consistent read says which writer owns this index, if any. */
  async function settle(batch: SealedBatch, cause?: Error): Promise<Appended> {
    await ring.catchUp()
    const there = ring.under(batch.index)
    if (there?.index === batch.index && there.hash === batch.hash) return { kind: 'committed' }
    if (there?.index === batch.index) return { kind: 'fenced', by: there.writer }
    if (!follows(batch)) return { kind: 'fenced', by: ring.headWriter() }
    return unknownOutcome(new SlotTouched(batch.index, cause))
  }

  async function* read(from: number): AsyncGenerator<SealedBatch> {
    await ring.catchUp()
    const until = ring.head().index
    const asked: Promise<SealedBatch | 'gone' | undefined>[] = []
    if (from <= catalogue.floor().index) throw new CompactedAway(from, catalogue.floor())
    for (let next = from, ahead = from; next <= until; next++) {
      for (; ahead <= until && ahead < next + READ_AHEAD; ahead++)
        asked.push(readAhead(ring.read(ahead)))
      yield presentBatch(await asked.shift(), next)
    }
  }

  function presentBatch(found: SealedBatch | 'gone' | undefined, index: number): SealedBatch {
    if (found === 'gone') throw new CompactedAway(index, oldestOf(ring.head(), ring.size()))
    if (!found) throw new MissingBatch(index)
    return found
  }

  async function* follow(from: number, signal: AbortSignal): AsyncGenerator<SealedBatch> {
    let next = from
    // Its version first: what is appended while we read is told afterwards, and known by then.
    const version = await slotObjects.currentVersion()
    for await (const batch of read(next)) {
      yield batch
      next++
    }
    for await (const kept of slotObjects.changesSince(version, signal)) {
      const batch = await ring.learn(kept)
      if (batch.index < next) continue
      const missed = batch.index === next ? [batch] : read(next)
      for await (const one of missed) {
        yield one
        next++
      }
    }
  }
}

/** The slot's version has changed but not its batch: a user has labelled it, for example. */
class SlotTouched extends Error {
  constructor(index: number, cause?: Error) {
    super(`The slot of batch ${index} was changed meanwhile${cause ? `: ${cause.message}` : '.'}`)
  }
}

function isTouched(appended: Appended): boolean {
  return appended.kind === 'unknown' && appended.cause instanceof SlotTouched
}

async function compact(catalogue: Catalogue, keepFrom: number, also: readonly number[]) {
  await catalogue.refresh()
  await catalogue.change(({ v, floor, snapshots }) => {
    const { anchor, kept } = keptSnapshots(snapshots, { floor, keepFrom, also })
    const isLater = anchor && anchor.head.index > floor.index
    return { v, floor: isLater ? anchor.head : floor, snapshots: kept }
  })
}

function oldestOf({ index }: Head, size: number): Head {
  return { index: index - size, hash: '' }
}
