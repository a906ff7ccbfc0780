/** Senders remembered; beyond this all are forgotten, which costs a line for each at most. */
const SENDERS_MAX = 10_000

/** Whether it is time for another line about a sender: a flood of the same is worth one. */
export function createSeldom(intervalMs: number, now: () => number) {
  const saidAt = new Map<string, number>()

  return function isDue(sender: string): boolean {
    const at = now()
    if (at - (saidAt.get(sender) ?? Number.NEGATIVE_INFINITY) < intervalMs) return false
    if (saidAt.size >= SENDERS_MAX) saidAt.clear()
    saidAt.set(sender, at)
    return true
  }
}
