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
  /** Since when something has been waiting all the time, and what had been taken by then. */
  began: Readonly<{ at: number; taken: number }> | undefined
  /** When the end was first seen. */
  endedAt: number | undefined
}
export type Overdue = 'ended' | 'unread'
type Deadlines = Readonly<{ endedMs: number; unreadMs: number }>

/** One who takes a byte now and then reads no more than one who takes none: after so long … */
const SLOW_AFTER = 3
/** … it has to have taken this much on average. A modem takes seven times as much. */
const BYTES_PER_MS_MIN = 1

export const nothingSeen = (): Seen => ({
  ...{ unwritten: 0, taken: 0, movedAt: undefined, began: undefined, endedAt: undefined },
})

/** Looks at a connection, and tells why it has had its time. */
export function lookAt(output: Output, now: number, deadlines: Deadlines): Overdue | undefined {
  const { seen } = output
  seen.unwritten = output.unwritten()
  if (seen.unwritten === 0) {
    seen.movedAt = undefined
    seen.began = undefined
    // An end that still waits to be taken is an answer like any other.
    if (!output.isEnded()) return undefined
    seen.endedAt ??= now
    return now - seen.endedAt >= deadlines.endedMs ? 'ended' : undefined
  }
  const taken = output.taken()
  seen.began ??= { at: now, taken }
  if (seen.movedAt === undefined || taken !== seen.taken) {
    seen.movedAt = now
    seen.taken = taken
  }
  const isStill = now - seen.movedAt >= deadlines.unreadMs
  return isStill || isSlow(output, now, deadlines) ? 'unread' : undefined
}

function isSlow({ seen }: Output, now: number, { unreadMs }: Deadlines): boolean {
  const { began, taken } = seen
  // Of a stream within a connection it is not known how much was taken, only whether.
  if (!began || taken < 0) return false
  const waitedMs = now - began.at
  return waitedMs >= SLOW_AFTER * unreadMs && taken - began.taken < waitedMs * BYTES_PER_MS_MIN
}

type Waiting = Pick<Output, 'seen'> & Readonly<{ caller: string }>

/**
 * Whose unwritten bytes have to be given up so that the rest stays within `bytesMax`: each time the
 * largest of the caller that has most, so that many small ones are no better than a large one.
 */
export function greediestBeyond<O extends Waiting>(outputs: Iterable<O>, bytesMax: number): O[] {
  let total = 0
  const callers = new Map<string, { bytes: number; outputs: O[] }>()
  for (const output of outputs) {
    const { unwritten } = output.seen
    if (unwritten === 0) continue
    total += unwritten
    const own = callers.get(output.caller) ?? { bytes: 0, outputs: [] }
    own.bytes += unwritten
    own.outputs.push(output)
    callers.set(output.caller, own)
  }
  for (const { outputs: own } of callers.values())
    own.sort((left, right) => left.seen.unwritten - right.seen.unwritten)
  const given: O[] = []
  while (total > bytesMax) {
    const most = [...callers.values()].reduce((left, right) =>
      right.bytes > left.bytes ? right : left,
    )
    const largest = most.outputs.pop()
    if (!largest) break
    most.bytes -= largest.seen.unwritten
    total -= largest.seen.unwritten
    given.push(largest)
  }
  return given
}
