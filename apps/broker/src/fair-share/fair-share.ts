import { createCallerLoads, type Overload } from './caller-loads.ts'
import { createHeavyLine } from './heavy-line.ts'
import { createHeldRefusals } from './held-refusals.ts'
import { createJournalBudget, type JournalBudget } from './journal-budget.ts'
import { createRateLimit, type Rate } from './rate-limit.ts'
import { startStopwatch } from './stopwatch.ts'

/** Why a request was refused with 429; the name a metric gives it. */
export type Refused = 'rate' | 'journal' | Overload

const WORDS: Readonly<Record<Refused, string>> = {
  rate: 'sends more than its share',
  journal: 'has used its daily share of the journal (--journal-mib-per-day)',
  body: 'sends too many large bodies at the same time',
  unread: 'has not read the long answers it was sent',
  concurrency: 'has too many requests under way',
}

export function refusedSentence(account: string, why: Refused): string {
  return `${account} ${WORDS[why]}.`
}

export type FairShare = ReturnType<typeof createFairShare>

type Limits = Readonly<{
  /** Absent: no limit. */
  rate?: Rate | undefined
  /** Absent: no limit. */
  journal?: JournalBudget
}>

/** Keeps one caller from taking the capacity of all. Shared by all interfaces. */
export function createFairShare(limits: Limits, now: () => number) {
  const rate = createRateLimit(limits.rate, now)
  const loads = createCallerLoads(now)
  const line = createHeavyLine({ now, stopwatch: startStopwatch, charge: rate.charge })
  const refusals = createHeldRefusals()
  const journal = limits.journal ?? createJournalBudget(0, now)
  const refused: Record<Refused, number> = {
    rate: 0,
    journal: 0,
    body: 0,
    unread: 0,
    concurrency: 0,
  }
  /** Connections of addresses that opened too many. */
  const paused = { connections: 0 }
  return { rate, loads, line, refusals, journal, refused, paused, stop }

  function stop(): void {
    line.stop()
    refusals.stop()
  }
}
