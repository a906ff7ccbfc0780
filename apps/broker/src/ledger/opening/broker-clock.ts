type Ports = Readonly<{
  wallClock?: () => number
  /** Milliseconds that only ever go forward. */
  monotonic?: () => number
}>

/**
 * Time has one owner: the later of the last journaled moment and the wall clock at the start, plus
 * what has passed since. A wall clock that is set back or jumps later is reported, never obeyed.
 */
export function createBrokerClock(lastJournaledAt: number, ports: Ports = {}) {
  const wallClock = ports.wallClock ?? Date.now
  const monotonic = ports.monotonic ?? (() => performance.now())
  const startedAt = Math.max(lastJournaledAt, wallClock())
  const zero = monotonic()

  return {
    now: () => startedAt + Math.floor(monotonic() - zero),
    /** How far the wall clock is ahead of the broker's time. */
    skewMs: () => wallClock() - (startedAt + Math.floor(monotonic() - zero)),
  }
}
