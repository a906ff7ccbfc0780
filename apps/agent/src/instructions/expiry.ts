import { type Clock, systemClock } from '@bourse/kube'
import type { BrokerClock } from '../broker/broker-clock.ts'
import type { Entries, Entry } from './entries.ts'
import type { Terms } from './terms.ts'

/**
 * An expired instruction has no effect, but its object stays this long, in case the broker reports
 * a renewal in the last moment.
 */
const KEPT_AFTER_END_MS = 60_000
/** A timer holds 24 days at most; and clocks are compared again now and then. */
const SLEEP_MAX_MS = 600_000

type HeardClock = Pick<BrokerClock, 'now' | 'isHeard'>

/** Expiry is in the broker's time: the local clock may be wrong, so it never ends anything. */
export function isOver({ terms }: Entry, brokerClock: HeardClock): boolean {
  return brokerClock.isHeard() && brokerClock.now() >= endOf(terms)
}

export function isLongOver({ terms }: Entry, brokerClock: HeardClock): boolean {
  return brokerClock.isHeard() && brokerClock.now() >= endOf(terms) + KEPT_AFTER_END_MS
}

/** All are checked with each answer of the broker, and parsing dominates, so it is cached. */
const ends = new WeakMap<Terms, number>()

/** NaN if it is absent or invalid: no moment is at or after NaN. */
function endOf(terms: Terms): number {
  const known = ends.get(terms)
  if (known !== undefined) return known
  const end = terms.expiresAt === undefined ? Number.NaN : Date.parse(terms.expiresAt)
  ends.set(terms, end)
  return end
}

type Ports = Readonly<{ brokerClock: BrokerClock; clock?: Pick<Clock, 'sleep'> }>

/** Rings with the ids that have expired, and again when their objects may be deleted. */
export function createExpiryTimer(
  { brokerClock, clock = systemClock }: Ports,
  ring: (ids: ReadonlySet<string>) => void,
) {
  let entries: Entries = new Map()
  let sleeping = new AbortController()
  /** In the broker's time: all that expired up to then has been rung. */
  let rungUntil = Number.NEGATIVE_INFINITY

  return {
    watch(next: Entries): void {
      entries = next
      rest()
    },
    stop: (): void => sleeping.abort(),
  }

  function rest(): void {
    sleeping.abort()
    // Nothing expires before the broker's time is known.
    if (!brokerClock.isHeard()) return
    const wake = new AbortController()
    sleeping = wake
    const now = brokerClock.now()
    // An answer has set the clock back: ring again later.
    rungUntil = Math.min(rungUntil, now)
    // Not those after now: one that passed since, while an answer came or moved the clock, is due.
    const due = nextMoment(entries, rungUntil)
    if (due === Number.POSITIVE_INFINITY) return
    const delayMs = Math.min(SLEEP_MAX_MS, Math.max(1, due - now))
    clock.sleep(delayMs, wake.signal).then(
      () => {
        const ids = passedUntil(brokerClock.now())
        if (ids.size > 0) ring(ids)
        else rest()
      },
      () => {},
    )
  }

  function passedUntil(now: number): Set<string> {
    const before = rungUntil
    rungUntil = now
    const passed = (entry: Entry) => momentsOf(entry).some((at) => at > before && at <= now)
    return new Set([...entries].filter(([, entry]) => passed(entry)).map(([id]) => id))
  }
}

function momentsOf({ terms }: Entry): readonly [over: number, forgotten: number] {
  const end = endOf(terms)
  return [end, end + KEPT_AFTER_END_MS]
}

function nextMoment(entries: Entries, after: number): number {
  let next = Number.POSITIVE_INFINITY
  for (const entry of entries.values())
    for (const at of momentsOf(entry)) if (at > after && at < next) next = at
  return next
}
