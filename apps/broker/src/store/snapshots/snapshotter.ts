import { type ImagePart, type LedgerImage, partsOf } from '@bourse/domain/ledger'
import { createChore } from '../../background/chore.ts'
import type { Committed } from '../../ledger/writer/ledger-writer.ts'
import { createPartDecoder, encodePart } from '../codec/image-codec.ts'
import { type Head, type Journal, type StoredSnapshot, writeSnapshot } from '../port/journal.ts'
import type { ChooseRungs, Rung } from '../port/store.ts'
import { chooseRungs } from './snapshot-ladder.ts'

type Settings = Readonly<{
  journal: Journal
  /** References to the whole committed state, taken between two commits. */
  capture(): Promise<Readonly<{ image: LedgerImage; head: Head }>>
  /** What a snapshot leaves out of the batches that it covers has to be on disk by then. */
  beforeFinish(): Promise<void>
  now(): number
  /** --history: how far back decisions can be replayed. */
  historyMs: number
  everyEvents?: number
  /** Past the newest snapshot: a broker that never lives long would not come to take one. */
  replayedEvents?: number
  choose?: ChooseRungs
}>

const EVERY_EVENTS = 100_000
/** In a journal with limited room, the next one is due when so much of the room is taken. */
const ROOM_TAKEN_MAX = 1 / 4
const LOOK_EVERY_MS = 1_000
/** Larger parts are split, so that no write between two commits takes long. */
const CHUNK_CHARACTERS_MAX = 256 * 1024

/** Keeps restarts short and the journal small, without ever stopping the writer. */
export function createSnapshotter(settings: Settings) {
  const { journal, capture, beforeFinish, now, historyMs } = settings
  const { everyEvents = EVERY_EVENTS, replayedEvents = 0, choose = chooseRungs } = settings
  let events = replayedEvents
  let isAsked = false
  const chore = createChore({ name: 'Taking a snapshot', everyMs: LOOK_EVERY_MS, work })
  return {
    ...chore,
    /** An after-commit reader that counts what a restart would have to replay. */
    take: (committed: Committed) => {
      events += committed.events.length
      // Room runs out within seconds under load: no waiting for the next look.
      if (isCramped(journal)) void chore.run()
    },
    run,
  }

  function run(): Promise<void> {
    isAsked = true
    return chore.run()
  }

  /**
   * Asked anew at every look, not remembered from the last commit: where room has run out there are
   * no commits, and a snapshot that failed then would never be tried again.
   */
  function isDue(): boolean {
    return isAsked || events >= everyEvents || isCramped(journal)
  }

  async function work(): Promise<void> {
    if (!isDue()) return
    const { image, head } = await capture()
    // From here on: what comes while this one is written counts for the next.
    const before = { events, isAsked }
    events = 0
    isAsked = false
    await writeSnapshot(journal, head, chunksOfAll(image)).catch((error: unknown) => {
      events += before.events
      isAsked ||= before.isAsked
      throw error
    })
    const { keepFrom, also } = choose(await rungsOf(journal), now(), historyMs)
    await journal.compact(keepFrom, also)
  }

  async function* chunksOfAll(image: LedgerImage): AsyncGenerator<string> {
    for (const part of partsOf(image)) {
      yield* chunksOf(part)
      // Requests come first: a part is encoded only when nothing else is to be done.
      await new Promise(setImmediate)
    }
    await beforeFinish()
  }
}

function isCramped({ room }: Pick<Journal, 'room'>): boolean {
  if (!room) return false
  const { left, of } = room()
  return left < of * (1 - ROOM_TAKEN_MAX)
}

/** Encodes a part, halving it while it is too long and has more than one entry. */
export function* chunksOf(part: ImagePart): Generator<string> {
  const text = encodePart(part)
  const halves = text.length > CHUNK_CHARACTERS_MAX ? halve(part) : undefined
  if (!halves) yield text
  else for (const half of halves) yield* chunksOf(half)
}

/** Every part but the header has one list, which is named as its kind is. */
function halve(part: ImagePart): readonly ImagePart[] | undefined {
  if (part.kind === 'header') return undefined
  const { kind } = part
  const items = (part as Readonly<Record<string, unknown>>)[kind] as readonly unknown[]
  if (items.length < 2) return undefined
  const middle = Math.ceil(items.length / 2)
  const halves = [items.slice(0, middle), items.slice(middle)]
  return halves.map((half) => ({ kind, [kind]: half }) as unknown as ImagePart)
}

async function rungsOf(journal: Journal): Promise<readonly Rung[]> {
  const rungs: Rung[] = []
  let snapshot = await journal.latestSnapshot()
  while (snapshot) {
    const { index } = snapshot.head
    rungs.push({ index, at: await momentOf(snapshot) })
    snapshot = await journal.latestSnapshot(index - 1)
  }
  return rungs
}

/** The header, its first chunk, says how late it was. */
async function momentOf(snapshot: StoredSnapshot): Promise<number> {
  const decode = createPartDecoder()
  for await (const chunk of snapshot.chunks()) {
    const part = decode(chunk)
    return part.kind === 'header' ? part.lastAt : 0
  }
  return 0
}
