type Ports = Readonly<{ wallClock?(): number; monotonic?(): number }>

/**
 * The ledger's time: the later of the last journaled moment and the wall clock at the start, plus
 * the time since then. Later jumps of the wall clock are reported as skew, and not followed.
 */
export function createBrokerClock(
  lastJournaledAt: number,
  { wallClock = Date.now, monotonic = () => performance.now() }: Ports = {},
) {
  const startedAt = Math.max(lastJournaledAt, wallClock())
  const zero = monotonic()
  const now = () => startedAt + Math.floor(monotonic() - zero)

  /** How far the wall clock is ahead of the broker's time. */
  return { now, skewMs: () => wallClock() - now() }
}
