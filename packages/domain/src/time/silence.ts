import type { createDeadlines } from './deadlines.ts'

type Ports = Readonly<{
  deadlines: Pick<ReturnType<typeof createDeadlines>, 'add'>
  reclaimAfterMs: number
}>

/** When each requester was last heard. A silent one's reservations are reclaimed after a time. */
export function createSilence({ deadlines, reclaimAfterMs }: Ports) {
  /** Calls move it without an event. Every requester in it has a `reclaim` deadline. */
  const heardAt = new Map<string, number>()

  return { heardAt, hear, excuse }

  function hear(requester: string, at: number): void {
    const before = heardAt.get(requester)
    if (before !== undefined && before >= at) return
    heardAt.set(requester, at)
    if (before === undefined) deadlines.add(at + reclaimAfterMs, { kind: 'reclaim', of: requester })
  }

  /** After an outage, restarts every silence timeout: the outage does not count. */
  function excuse(now: number): void {
    let last = 0
    for (const at of heardAt.values()) last = Math.max(last, at)
    for (const [requester, at] of heardAt) heardAt.set(requester, at + Math.max(0, now - last))
  }
}
