import { type Clock, systemClock } from '@bourse/kube'
import type { LedgerWriter } from '../../ledger/writer/ledger-writer.ts'
import { createPace, type Pace } from './pace.ts'

/** Writes a second while the writer is idle, and while it is always busy. */
type Limits = Readonly<{ most: number; least: number }>

export type MirrorPace = Pace & {
  /** How many events a second may tell of what is shown. */
  eventsPerSecond(): number
}

const WRITES: Limits = { most: 500, least: 4 }
const EVENTS: Limits = { most: 25, least: 1 }
/** What may pass at once: the allowance of so long. */
const BURST_SECONDS = 0.02
/** How quickly what the writer did is forgotten: after so long a third of it is left. */
const MEMORY_MS = 50

/**
 * How fast mirrors, which no caller waits for, may be written. Each write costs the API server more
 * than a commit does, so the mirrors hold back as the ledger needs it:
 *
 *   a second = most × (1 − share of the time in which the writer is busy)³,
 *              but least at least
 *
 * A tenth of the time leaves 365, half of it 62; if it is always busy it is the least. Not the
 * journal's time alone: it rests while answers are written, for want of processors perhaps.
 */
export function createMirrorPace(
  { busyMs }: Pick<LedgerWriter, 'busyMs'>,
  { monotonic, sleep }: Pick<Clock, 'monotonic' | 'sleep'> = systemClock,
): MirrorPace {
  let share = 0
  let seen = { at: monotonic(), busyMs: busyMs() }
  const perSecond = () => beside(WRITES)
  const burst = () => Math.max(1, BURST_SECONDS * perSecond())
  const pace = createPace({ perSecond, burst, monotonic, sleep })
  return { ...pace, eventsPerSecond: () => beside(EVENTS) }

  function beside({ most, least }: Limits): number {
    look()
    return Math.max(least, most * (1 - share) ** 3)
  }

  function look(): void {
    const now = { at: monotonic(), busyMs: busyMs() }
    const passedMs = now.at - seen.at
    if (passedMs <= 0) return
    const left = Math.exp(-passedMs / MEMORY_MS)
    const shareSince = Math.min(1, (now.busyMs - seen.busyMs) / passedMs)
    share = share * left + shareSince * (1 - left)
    seen = now
  }
}
