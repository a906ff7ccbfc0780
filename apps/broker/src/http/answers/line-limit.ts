import { createRateLimit, type Rate } from '../../fair-share/index.ts'

/** Callers whose left out lines are counted; above this number, all are forgotten. */
const CALLERS_MAX = 10_000

/** How many lines about one caller there may be: a log has to outlive a flood. */
export function createLineLimit(rate: Rate) {
  const { take } = createRateLimit(rate, () => performance.now())
  const unlogged = new Map<string, number>()

  /** How many lines were left out before this one; undefined if this one is, too. */
  return (caller: string): number | undefined => {
    const count = unlogged.get(caller) ?? 0
    if (take(caller) === undefined) {
      unlogged.delete(caller)
      return count
    }
    if (unlogged.size >= CALLERS_MAX) unlogged.clear()
    unlogged.set(caller, count + 1)
    return undefined
  }
}
