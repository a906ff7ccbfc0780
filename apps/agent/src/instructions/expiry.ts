import { type Patience, systemPatience } from '@bourse/kube'
import type { BrokerClock } from './broker-clock.ts'
import type { Entries, Entry } from './instruction-book.ts'

/**
 * After its end an instruction counts for nothing, but its object stays this long for the broker to
 * say that it is over, or that it was renewed in the last moment.
 */
const KEPT_AFTER_END_MS = 60_000
/** A timer holds 24 days at most; and clocks are compared again now and then. */
const SLEEP_MAX_MS = 600_000

type Clock = Pick<BrokerClock, 'now' | 'isHeard'>

/** Ends are in the broker's time: by the clock here alone, which may be wrong, nothing is over. */
export function isOver({ terms }: Entry, clock: Clock): boolean {
  if (terms.expiresAt === undefined || !clock.isHeard()) return false
  return clock.now() >= Date.parse(terms.expiresAt)
}

export function isLongOver({ terms }: Entry, clock: Clock): boolean {
  if (terms.expiresAt === undefined || !clock.isHeard()) return false
  return clock.now() >= Date.parse(terms.expiresAt) + KEPT_AFTER_END_MS
}

type Ports = Readonly<{ clock: BrokerClock; patience?: Pick<Patience, 'sleep'> }>

/** Rings with the ids whose end has come, and again when their objects may go. */
export function createExpiryTimer(
  { clock, patience = systemPatience }: Ports,
  ring: (ids: ReadonlySet<string>) => void,
) {
  let entries: Entries = new Map()
  let sleeping = new AbortController()

  return {
    watch(next: Entries): void {
      entries = next
      rest()
    },
    stop: (): void => sleeping.abort(),
  }

  function rest(): void {
    sleeping.abort()
    const wake = new AbortController()
    sleeping = wake
    const now = clock.now()
    const due = [...entries.values()].flatMap(momentsOf).filter((at) => at > now)
    if (due.length === 0) return
    const delayMs = Math.min(SLEEP_MAX_MS, Math.max(1, Math.min(...due) - now))
    patience.sleep(delayMs, wake.signal).then(
      () => {
        const ids = passedBetween(now, clock.now())
        if (ids.size > 0) ring(ids)
        else rest()
      },
      () => {},
    )
  }

  function passedBetween(before: number, now: number): Set<string> {
    const passed = (entry: Entry) => momentsOf(entry).some((at) => at > before && at <= now)
    return new Set([...entries].filter(([, entry]) => passed(entry)).map(([id]) => id))
  }
}

function momentsOf({ terms }: Entry): number[] {
  if (terms.expiresAt === undefined) return []
  const endsAt = Date.parse(terms.expiresAt)
  return Number.isNaN(endsAt) ? [] : [endsAt, endsAt + KEPT_AFTER_END_MS]
}
