import { type Clock, systemClock } from '@bourse/kube'
import type { LedgerWriter } from '../../ledger/writer/ledger-writer.ts'

export type Pace = {
  /** Resolves when it is one's turn to write; rejects when the signal fires. */
  take(signal: AbortSignal): Promise<void>
}

/** Writes a second while the writer is idle, and while it is always busy. */
type Limits = Readonly<{ most: number; least: number }>

const WRITES: Limits = { most: 500, least: 4 }
const EVENTS: Limits = { most: 25, least: 1 }
/** As many writes as are allowed in this time may pass at once. */
const BURST_SECONDS = 0.02
/** How quickly the share is forgotten: after this time a third of it is left. */
const MEMORY_MS = 50

/**
 * How fast mirrors, which no caller waits for, may be written. Each write costs the API server more
 * than a commit does, so mirrors slow down when the writer is busy:
 *
 *   writes a second = max(least, most × (1 − share of the time in which the writer is busy)³)
 *
 * A share of a tenth leaves 365, a half 62. The time of the journal alone would not do: it is idle
 * while answers are written.
 */
export function createMirrorPace(
  { busyMs }: Pick<LedgerWriter, 'busyMs'>,
  { monotonic, sleep }: Pick<Clock, 'monotonic' | 'sleep'> = systemClock,
) {
  let share = 0
  let seen = { at: monotonic(), busyMs: busyMs() }
  const perSecond = () => beside(WRITES)
  const burst = () => Math.max(1, BURST_SECONDS * perSecond())
  const pace = createPace({ perSecond, burst, monotonic, sleep })
  /** Events a second tell of what is shown. */
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

type PacePorts = Readonly<{
  /** How many a second may pass now. */
  perSecond(): number
  /** How many of these may pass at once after a rest. */
  burst(): number
  /** Milliseconds that only ever go forward. */
  monotonic(): number
  sleep(ms: number, signal: AbortSignal): Promise<void>
}>

/** The rate may rise meanwhile: a waiting caller checks again after this time. */
const LOOK_AGAIN_MS = 100

/** A token bucket: background writes must not crowd out what callers wait for. */
export function createPace({ perSecond, burst, monotonic, sleep }: PacePorts): Pace {
  let tokens = burst()
  let filledAt = monotonic()

  return {
    async take(signal) {
      for (;;) {
        fill()
        if (tokens >= 1) break
        const missingMs = Math.ceil((1_000 * (1 - tokens)) / perSecond())
        await sleep(Math.min(missingMs, LOOK_AGAIN_MS), signal)
      }
      tokens--
    },
  }

  function fill(): void {
    const now = monotonic()
    tokens = Math.min(burst(), tokens + ((now - filledAt) / 1_000) * perSecond())
    filledAt = now
  }
}
