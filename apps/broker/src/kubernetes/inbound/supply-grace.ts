/** Objects that are applied together are told one by one, each kind by a watch of its own. */
const SUPPLY_GRACE_MS = 2_000
const FIRST_LOOK_MS = 50
/** Each look takes a decision: the pauses grow, so that a refusal takes five. */
const PAUSE_GROWTH = 4

/** How long a request that nothing fits is kept, as supply made with it may still be on its way. */
export function createSupplyGrace(now: () => number) {
  const refusedAt = new Map<string, number>()

  return {
    /** When to look again; undefined: it has waited long enough. */
    untilNextLookMs(uid: string): number | undefined {
      const since = refusedAt.get(uid) ?? now()
      refusedAt.set(uid, since)
      const waitedMs = now() - since
      if (waitedMs >= SUPPLY_GRACE_MS) return undefined
      const pauseMs = Math.max(FIRST_LOOK_MS, PAUSE_GROWTH * waitedMs)
      return Math.min(pauseMs, SUPPLY_GRACE_MS - waitedMs)
    },
    over: (uid: string): void => void refusedAt.delete(uid),
  }
}
