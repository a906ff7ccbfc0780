import type { Resources } from '@bourse/domain/quantity'

export type Probe = Readonly<{
  caller: string
  /** The cluster that is asked about; undefined: any. */
  target: string | undefined
  wanted: Resources
}>

export type ProbingLimits = Readonly<{
  /** Different amounts that a caller may try on a cluster within a period. */
  free: number
  periodMs: number
  /** How long it waits after the first one beyond them; after each further one twice as long. */
  pauseMs: number
}>

const PROBING_LIMITS: ProbingLimits = { free: 32, periodMs: 600_000, pauseMs: 1_000 }
/** Pairs of a caller and a cluster that are remembered; beyond this the oldest are forgotten. */
const PAIRS_MAX = 10_000
/** Different amounts that are remembered for a pair: a repeated amount is not a new probe. */
const AMOUNTS_MAX = 128
/** What trying by real reservations is charged at most, as time of work. */
const SURCHARGE_MAX_MS = 1_000

type Pair = { amounts: Set<number>; endsAt: number; pausedUntil: number; beyond: number }

export type Probing = ReturnType<typeof createProbing>

/**
 * Counts, by caller and cluster, how many different amounts are asked of a cluster that hides its
 * numbers. A requester asks for a few; a rival that measures the cluster tries many.
 */
export function createProbing(now: () => number, limits = PROBING_LIMITS) {
  const pairs = new Map<string, Pair>()
  const { free, periodMs, pauseMs } = limits

  return {
    /** Seconds until this may be asked; undefined: now. */
    waitOf(probe: Probe): number | undefined {
      const pair = pairs.get(keyOf(probe))
      const waitMs = pair ? pair.pausedUntil - now() : 0
      if (!pair || waitMs <= 0 || pair.amounts.has(digestOf(probe.wanted))) return undefined
      return Math.ceil(waitMs / 1_000)
    },
    /** It was answered, on coarse amounts: one too many pauses the next. */
    asked(probe: Probe): void {
      const pair = pairOf(probe)
      if (isNew(pair, probe) && pair.beyond > 0)
        pair.pausedUntil = now() + Math.min(pauseMs * doubled(pair), periodMs)
    },
    /** It was tried for real, on exact amounts: the work that is to be charged for it. */
    tried(probe: Probe): number {
      const pair = pairOf(probe)
      return isNew(pair, probe) && pair.beyond > 0 ? Math.min(doubled(pair), SURCHARGE_MAX_MS) : 0
    },
  }

  function pairOf(probe: Probe): Pair {
    const key = keyOf(probe)
    const at = now()
    const known = pairs.get(key)
    if (known && at < Math.max(known.endsAt, known.pausedUntil)) return known
    const pair = { amounts: new Set<number>(), endsAt: at + periodMs, pausedUntil: 0, beyond: 0 }
    pairs.delete(key)
    pairs.set(key, pair)
    if (pairs.size > PAIRS_MAX) forgetOldest()
    return pair
  }

  function forgetOldest(): void {
    const [oldest] = pairs.keys()
    if (oldest !== undefined) pairs.delete(oldest)
  }

  /** Counts amounts that were not asked before. */
  function isNew(pair: Pair, { wanted }: Probe): boolean {
    const digest = digestOf(wanted)
    if (pair.amounts.has(digest)) return false
    if (pair.amounts.size >= free) pair.beyond += 1
    if (pair.amounts.size < AMOUNTS_MAX) pair.amounts.add(digest)
    return true
  }
}

function doubled({ beyond }: Pair): number {
  return 2 ** (beyond - 1)
}

function keyOf({ caller, target = '' }: Probe): string {
  return `${caller} ${target}`
}

/** FNV-1a: to take two requests for the same one now and then does no harm. */
function digestOf(wanted: Resources): number {
  let digest = 0x811c9dc5
  for (const name in wanted) {
    const text = `${name}=${wanted[name]};`
    for (let at = 0; at < text.length; at += 1)
      digest = Math.imul(digest ^ text.charCodeAt(at), 0x01000193)
  }
  return digest
}
