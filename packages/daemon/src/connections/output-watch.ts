/** What is written to one connection. */
export type Output = {
  /** Bytes that wait to be taken by the other side. */
  unwritten(): number
  /** Bytes that it has taken so far. */
  taken(): number
  /** Whether all has been said. */
  isEnded(): boolean
  /** As of the last look. */
  readonly seen: Seen
}
export type Seen = {
  unwritten: number
  taken: number
  /** When something was last taken, or began to wait; absent: nothing waits. */
  movedAt: number | undefined
  /** When the end was first seen. */
  endedAt: number | undefined
}
export type Overdue = 'ended' | 'unread'
type Deadlines = Readonly<{ endedMs: number; unreadMs: number }>

export const nothingSeen = (): Seen => ({
  ...{ unwritten: 0, taken: 0, movedAt: undefined, endedAt: undefined },
})

/** Looks at a connection, and tells why it has had its time. */
export function lookAt(output: Output, now: number, deadlines: Deadlines): Overdue | undefined {
  const { seen } = output
  seen.unwritten = output.unwritten()
  if (seen.unwritten === 0) {
    seen.movedAt = undefined
    // An end that still waits to be taken is an answer like any other.
    if (!output.isEnded()) return undefined
    seen.endedAt ??= now
    return now - seen.endedAt >= deadlines.endedMs ? 'ended' : undefined
  }
  const taken = output.taken()
  if (seen.movedAt === undefined || taken !== seen.taken) {
    seen.movedAt = now
    seen.taken = taken
    return undefined
  }
  return now - seen.movedAt >= deadlines.unreadMs ? 'unread' : undefined
}

/** Whose unwritten bytes have to be given up so that the rest stays within `bytesMax`. */
export function largestBeyond<O extends Pick<Output, 'seen'>>(
  outputs: Iterable<O>,
  bytesMax: number,
): O[] {
  let total = 0
  const waiting: O[] = []
  for (const output of outputs) {
    total += output.seen.unwritten
    if (output.seen.unwritten > 0) waiting.push(output)
  }
  if (total <= bytesMax) return []
  waiting.sort((left, right) => right.seen.unwritten - left.seen.unwritten)
  const given: O[] = []
  for (const output of waiting) {
    if (total <= bytesMax) break
    total -= output.seen.unwritten
    given.push(output)
  }
  return given
}
