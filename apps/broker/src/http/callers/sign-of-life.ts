/** Often enough for a limit of hours, seldom enough to cost nothing. */
const REPEAT_MS = 5_000
const CALLERS_MAX = 50_000

/** Reports that a caller was heard, at most once in a few seconds for each. */
export function createSignOfLife(heard: (clusterId: string) => void, now: () => number) {
  const passedAt = new Map<string, number>()

  return (clusterId: string): void => {
    const at = now()
    if (at - (passedAt.get(clusterId) ?? Number.NEGATIVE_INFINITY) < REPEAT_MS) return
    if (passedAt.size >= CALLERS_MAX) passedAt.clear()
    passedAt.set(clusterId, at)
    heard(clusterId)
  }
}
