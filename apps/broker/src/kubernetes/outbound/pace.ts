type Ports = Readonly<{
  /** How many a second may pass now; it may change with the hour. */
  perSecond(): number
  /** How many of these may pass at once after a rest. */
  burst(): number
  /** Milliseconds that only ever go forward. */
  monotonic(): number
  sleep(ms: number, signal: AbortSignal): Promise<void>
}>

export type Pace = {
  /** Resolves when it is one's turn to write; rejects when the signal fires. */
  take(signal: AbortSignal): Promise<void>
}

/** The rate may rise meanwhile: a waiting caller checks again after this time. */
const LOOK_AGAIN_MS = 100

/** A token bucket: background writes must not crowd out what callers wait for. */
export function createPace({ perSecond, burst, monotonic, sleep }: Ports): Pace {
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
