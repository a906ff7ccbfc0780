import { createAlarms } from '../time/alarms.ts'
import { type Backoff, backoffMs, type Clock, systemClock } from '../time/clock.ts'

export type WorkQueueOptions = Readonly<{
  /** One turn of a key. The result may ask for a later turn; an error asks for one with backoff. */
  work(key: string, signal: AbortSignal): Promise<Again | undefined>
  onTrouble?: ((error: Error, key: string, pauseMs: number) => void) | undefined
  workers?: number | undefined
  /** Distinct keys, waiting or due later. */
  keysMax?: number
  backoff?: Backoff | undefined
  clock?: Clock | undefined
}>

export type Again = Readonly<{ againAfterMs?: number | undefined }>

const WORKERS = 4
const KEYS_MAX = 100_000
const BACKOFF: Backoff = { baseMs: 100, capMs: 60_000 }

/**
 * ```
 *   add ──► waiting ──► at work ──► done
 *             ▲   ▲        │
 *             │   └─ added again meanwhile
 *           later ◄────────┴─ again after, or failed: backoff
 * ```
 */
export function createWorkQueue(options: WorkQueueOptions) {
  const { work, clock = systemClock, backoff = BACKOFF } = options
  const { workers = WORKERS, keysMax = KEYS_MAX } = options
  const waiting = new Set<string>()
  const atWork = new Map<string, Promise<void>>()
  const addedMeanwhile = new Set<string>()
  const failures = new Map<string, number>()
  const stopping = new AbortController()
  const later = createAlarms(clock, (key) => void add(key))

  const size = () => waiting.size + later.size() + atWork.size
  const isKnown = (key: string) => waiting.has(key) || atWork.has(key) || later.has(key)

  function mayTake(key: string): boolean {
    return !stopping.signal.aborted && (isKnown(key) || size() < keysMax)
  }

  function add(key: string): boolean {
    if (!mayTake(key)) return false
    later.clear(key)
    if (atWork.has(key)) addedMeanwhile.add(key)
    else waiting.add(key)
    startTurns()
    return true
  }

  function startTurns(): void {
    for (const key of waiting) {
      if (atWork.size >= workers || stopping.signal.aborted) return
      waiting.delete(key)
      atWork.set(key, turn(key))
    }
  }

  async function turn(key: string): Promise<void> {
    const pauseMs = await attempt(key)
    atWork.delete(key)
    const isFailing = failures.has(key)
    const isWanted = addedMeanwhile.delete(key)
    // A failing key waits even if it was added meanwhile: its own writes may have added it.
    if (isWanted && !isFailing) waiting.add(key)
    else if (pauseMs !== undefined && !stopping.signal.aborted) later.set(key, pauseMs)
    startTurns()
  }

  async function attempt(key: string): Promise<number | undefined> {
    // Start after the caller's synchronous work, so that several adds in a row are one turn.
    await undefined
    try {
      const again = await work(key, stopping.signal)
      failures.delete(key)
      return again?.againAfterMs
    } catch (thrown) {
      if (stopping.signal.aborted) return undefined
      const attempts = (failures.get(key) ?? 0) + 1
      failures.set(key, attempts)
      const pauseMs = backoffMs(attempts, backoff, clock.random())
      const error = thrown instanceof Error ? thrown : new Error(String(thrown))
      options.onTrouble?.(error, key, pauseMs)
      return pauseMs
    }
  }

  return {
    /** False: the queue is full and the key was not added. A waiting key is queued only once. */
    add,
    addAfter(key: string, delayMs: number): boolean {
      if (!mayTake(key)) return false
      // A waiting key gets its turn sooner anyway.
      if (!waiting.has(key)) later.set(key, delayMs)
      return true
    },
    /** Keys waiting, due later or at work. */
    size,
    /** Waits for the running turns; starts no new ones. */
    async stop(): Promise<void> {
      stopping.abort()
      later.stop()
      waiting.clear()
      await Promise.all(atWork.values())
    },
  }
}
