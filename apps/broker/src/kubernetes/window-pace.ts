import { type Patience, systemPatience } from '@bourse/kube'
import type { LedgerWriter } from '../ledger/ledger-writer.ts'
import { createPace, type Pace } from './pace.ts'

/** How many a second when nobody waits for the journal, and when somebody always does. */
type Limits = Readonly<{ most: number; least: number }>

export type WindowPace = Pace & {
  /** How many events a second may tell of what is shown. */
  eventsPerSecond(): number
}

const WRITES: Limits = { most: 500, least: 4 }
const EVENTS: Limits = { most: 25, least: 1 }
/** What may pass at once: the allowance of so long. */
const BURST_SECONDS = 0.05
/** How quickly what the journal did is forgotten: after so long a third of it is left. */
const MEMORY_MS = 100

/**
 * How fast what nobody waits for may be written. Each of these writes costs the API server more
 * than a commit does, so the windows hold back as the journal needs it:
 *
 *   a second = most × (1 − share of the time in which the journal writes)³, but least at least
 *
 * A tenth of the time leaves 365, half of it 62; with a commit always under way it is the least.
 */
export function createWindowPace(
  writer: Pick<LedgerWriter, 'subscribe' | 'committingMs'>,
  { monotonic, sleep }: Pick<Patience, 'monotonic' | 'sleep'> = systemPatience,
): WindowPace {
  let shareThen = 0
  let countedAt = monotonic()
  writer.subscribe(({ tookMs = 0 }) => {
    shareThen = shareAfter(tookMs)
    countedAt = monotonic()
  })
  const perSecond = () => beside(WRITES)
  const burst = () => Math.max(1, BURST_SECONDS * perSecond())
  const pace = createPace({ perSecond, burst, monotonic, sleep })
  return { ...pace, eventsPerSecond: () => beside(EVENTS) }

  function beside({ most, least }: Limits): number {
    const idleShare = 1 - Math.min(1, shareAfter(writer.committingMs()))
    return Math.max(least, most * idleShare ** 3)
  }

  /** Of the time, the last counting most, when the journal has written for so long until now. */
  function shareAfter(writingMs: number): number {
    return shareThen * leftAfter(monotonic() - countedAt) + 1 - leftAfter(writingMs)
  }
}

const leftAfter = (ms: number) => Math.exp(-ms / MEMORY_MS)
