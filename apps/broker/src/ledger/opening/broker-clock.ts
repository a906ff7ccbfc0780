type Ports = Readonly<{
  wallClock?: () => number
  monotonic?: () => number
}>

/**
 * The ledger's time: the later of the last journaled moment and the wall clock at the start, plus
 * the time since then. Later jumps of the wall clock are reported as skew, and not followed.
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
