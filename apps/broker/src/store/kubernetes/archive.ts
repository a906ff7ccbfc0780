import {
  appendOrThrow,
  CompactedAway,
  type Journal,
  type ReadableJournal,
  type SealedBatch,
  writeSnapshot,
} from '../port/journal.ts'

type Ports = Readonly<{
  /** The ring, which overwrites in the end what is in it. */
  ring: ReadableJournal
  /** An empty journal of this machine's own, which may be lost. */
  copy: Pick<Journal, 'head' | 'append' | 'beginSnapshot' | 'compact'>
  limits?: Limits
}>

/** In characters of batches: about what they take on the disk. */
export type Limits = Readonly<{
  /** From one snapshot to the next: a replay reads at most so much. */
  step: number
  /** So many steps are kept. */
  steps: number
  /** Waiting for the disk. Beyond it, what waits is dropped, and read from the ring later. */
  waiting: number
}>

const MIB = 1024 * 1024
/** A quarter of a gigabyte: some hundred thousand decisions, or days of a quiet federation. */
const LIMITS: Limits = { step: 32 * MIB, steps: 8, waiting: 16 * MIB }
/** Written in bursts: on a disk that etcd shares, many small writes would slow its flushes. */
const BURST_MS = 5_000
const BURST_CHARACTERS = 4 * MIB
/** After a failure; what is missed meanwhile is still in the ring. */
const PAUSE_BATCHES = 64

export type Archive = ReturnType<typeof createArchive>

/**
 * Keeps what leaves the ring on this machine, so that old decisions can still be replayed: on the
 * leader, and on standbys, which follow it. It begins with the newest snapshot that there is.
 *
 *   snapshot ─ batches ─ snapshot ─ batches ─ … ─ snapshot ─ batches ─ the newest batch
 *      └────── step ────────┘                    the oldest step goes when there are too many
 */
export function createArchive({ ring, copy, limits = LIMITS }: Ports) {
  let waiting: SealedBatch[] = []
  let waitingCharacters = 0
  let working: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  /** Where the copy ends. */
  let index = 0
  /** Indexes of the snapshots in it. */
  let rungs: number[] = []
  let sinceRung = 0
  let nextRungAt = limits.step
  let resumeAt = 0
  /** Nothing can be added any more; what is there stays of use. */
  let isEnded = false

  return {
    take,
    /** Writes what waits, and resolves when nothing does any more. */
    async settled() {
      if (waiting.length > 0) begin()
      await working
    },
  }

  /** A batch that is committed, in order. Never waits and never fails: nothing depends on it. */
  function take(batch: SealedBatch): void {
    if (isEnded) return
    if (waitingCharacters > limits.waiting) {
      waiting = []
      waitingCharacters = 0
    }
    waiting.push(batch)
    waitingCharacters += batch.text.length
    // The first at once: a later snapshot to begin with would leave out what came before it.
    if (index === 0 || waitingCharacters >= BURST_CHARACTERS) begin()
    else timer ??= setTimeout(begin, BURST_MS).unref()
  }

  function begin(): void {
    clearTimeout(timer)
    timer = undefined
    working ??= work().finally(() => {
      working = undefined
    })
  }

  async function work(): Promise<void> {
    for (let batch = waiting.shift(); batch; batch = waiting.shift()) {
      const { index: at, text } = batch
      waitingCharacters -= text.length
      if (isEnded || at < resumeAt) continue
      await keep(batch).catch(() => {
        resumeAt = at + PAUSE_BATCHES
      })
    }
  }

  async function keep(batch: SealedBatch): Promise<void> {
    if (index === 0 && batch.index > 1) await copyFirst()
    if (batch.index > index + 1) await fillUpTo(batch.index)
    if (batch.index === index + 1) await append(batch)
    if (sinceRung >= nextRungAt) await addRung()
  }

  async function copyFirst(): Promise<void> {
    await copySnapshot(Number.POSITIVE_INFINITY)
    index = (await copy.head()).index
  }

  /** What was dropped on the way here. */
  async function fillUpTo(next: number): Promise<void> {
    try {
      for await (const batch of ring.read(index + 1)) {
        if (batch.index >= next) return
        await append(batch)
      }
    } catch (thrown) {
      // A hole that nothing can fill any more: beyond it, a replay would begin nowhere.
      isEnded ||= thrown instanceof CompactedAway
      throw thrown
    }
  }

  async function append(batch: SealedBatch): Promise<void> {
    // Without snapshots nothing could be taken away again: better a short archive than a full disk.
    isEnded ||= sinceRung >= 2 * limits.step
    if (isEnded) return
    await appendOrThrow(copy, batch)
    index = batch.index
    sinceRung += batch.text.length
  }

  /** One more place to begin a replay at; the room of the oldest is taken back. */
  async function addRung(): Promise<void> {
    // The ring makes and drops its snapshots when it likes: tried again soon, not at every batch.
    nextRungAt = sinceRung + limits.step / 8
    const isThere = await copySnapshot(index).catch(() => false)
    if (!isThere) return
    sinceRung = 0
    nextRungAt = limits.step
    const isFull = rungs.length > limits.steps
    rungs = rungs.slice(-limits.steps)
    await copy.compact(isFull ? (rungs[0] ?? 0) + 1 : 1, rungs)
  }

  async function copySnapshot(atOrBefore: number): Promise<boolean> {
    const snapshot = await ring.latestSnapshot(atOrBefore)
    if (!snapshot || snapshot.head.index <= (rungs.at(-1) ?? 0)) return false
    await writeSnapshot(copy, snapshot.head, snapshot.chunks())
    rungs.push(snapshot.head.index)
    return true
  }
}
