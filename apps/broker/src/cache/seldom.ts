/** Callers remembered; beyond this all are forgotten, and each may be due once too often. */
const CALLERS_MAX = 50_000

/** Whether it is time again for a caller: at most once in each interval. */
export function createSeldom(intervalMs: number, now: () => number) {
  const lastAt = new Map<string, number>()

  return function isDue(caller: string): boolean {
    const at = now()
    if (at - (lastAt.get(caller) ?? Number.NEGATIVE_INFINITY) < intervalMs) return false
    if (lastAt.size >= CALLERS_MAX) lastAt.clear()
    lastAt.set(caller, at)
    return true
  }
}
