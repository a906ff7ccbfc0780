import { createChore } from '../../background/chore.ts'
import type { Trouble } from '../port/store-errors.ts'
import type { LogLength } from './disk/open-database.ts'
import { troubleOf } from './disk/sqlite-error.ts'

type Ports = Readonly<{
  logLength(): Promise<LogLength>
  /** Moves what is committed to the database, on another thread than the committing one. */
  checkpoint(): Promise<LogLength>
  /** Ends a checkpoint on the committing thread, where nothing is written meanwhile. */
  endCheckpoint(): Promise<void>
  flushWitness(): Promise<void>
  crash(cause: Error): void
}>

const EVERY_MS = 200
const WITNESS_FLUSH_MS = 1_000
/**
 * Frames that are worth a checkpoint (16 MiB of pages), after which the log starts anew: what is
 * written over is flushed sooner than what makes a file longer. With fewer there would be more of
 * them, each a flush that commits meet, and pages would be copied that change again at once.
 */
const WORTH_FRAMES = 4_000
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
export function keepLogShort(ports: Ports) {
  const { logLength, checkpoint, endCheckpoint, flushWitness, crash } = ports
  let flushedAt = 0
  const work = () => step().catch(failed)
  const { stop } = createChore({ name: 'Keeping the log short', everyMs: EVERY_MS, work })
  return { stop }

  async function step(): Promise<void> {
    if (Date.now() - flushedAt > WITNESS_FLUSH_MS) {
      flushedAt = Date.now()
      await flushWitness()
    }
    let log = await logLength()
    if (log.left < WORTH_FRAMES) return
    for (let pass = 0; pass < PASSES_MAX && log.left >= FEW_FRAMES; pass++) log = await checkpoint()
    if (log.left < FEW_FRAMES) await endCheckpoint()
  }

  /** A full disk leaves the log as it was, for the next time; nothing else can be lived with. */
  function failed(error: Error & { trouble?: Trouble }): void {
    if ((error.trouble ?? troubleOf(error)) !== 'refused') crash(error)
  }
}
