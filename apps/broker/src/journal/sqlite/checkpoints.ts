import type { CheckpointVerbs } from './checkpoint-worker.ts'
import type { createCaller } from './thread-call.ts'

type Ports = Readonly<{
  slow: ReturnType<typeof createCaller<CheckpointVerbs>>
  /** Ends a checkpoint on the committing thread, where nothing is written meanwhile. */
  endCheckpoint(): Promise<void>
}>

const EVERY_MS = 200
const WITNESS_FLUSH_MS = 1_000
/** Frames that are worth a checkpoint (4 MiB of pages). */
const WORTH_FRAMES = 1_000
/** A log this long (64 MiB of pages) should start anew. */
const LONG_FRAMES = 16_000
/** Few enough to copy between two commits. */
const FEW_FRAMES = 1_000
/** Each pass leaves only what was committed during it; after these, it is tried another time. */
const PASSES_MAX = 6

/**
 * Keeps the write-ahead log short without making any commit wait. A passive checkpoint on another
 * connection does the bulk; but while commits keep coming it never catches up with the very end,
 * and a log starts anew only when all of it is in the database. So the committing thread itself
 * copies the last few frames, once the rest is done.
 */
export function keepLogShort({ slow, endCheckpoint }: Ports) {
  let flushedAt = 0
  let running: Promise<void> | undefined
  const timer = setInterval(() => {
    running ??= step().finally(() => {
      running = undefined
    })
  }, EVERY_MS).unref()
  return { stop }

  async function step(): Promise<void> {
    if (Date.now() - flushedAt > WITNESS_FLUSH_MS) {
      flushedAt = Date.now()
      await slow.call('flushWitness')
    }
    let log = await slow.call('logLength')
    if (log.left < WORTH_FRAMES) return
    for (let pass = 0; pass < PASSES_MAX && log.left >= FEW_FRAMES; pass++)
      log = await slow.call('checkpoint')
    if (log.frames > LONG_FRAMES && log.left < FEW_FRAMES) await endCheckpoint()
  }

  async function stop(): Promise<void> {
    clearInterval(timer)
    await running
  }
}
