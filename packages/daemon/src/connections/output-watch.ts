/** The outgoing data of one connection or stream. */
export type Output = {
  /** Bytes that the client has not taken yet. */
  unwritten(): number
  /** Bytes that it has taken so far. */
  taken(): number
  /** Whether the last byte has been written. */
  isEnded(): boolean
  /** As of the last check. */
  readonly seen: Seen
}
export type Seen = {
  unwritten: number
  taken: number
  /** When bytes were last taken or began to wait; undefined: nothing waits. */
  movedAt: number | undefined
  /** Since when bytes have waited without a break, and how many were taken by then. */
  began: Readonly<{ at: number; taken: number }> | undefined
  endedAt: number | undefined
}
export type Overdue = 'ended' | 'unread'
type Deadlines = Readonly<{ endedMs: number; unreadMs: number }>

/** A client that takes a byte now and then is as bad as one that takes none: after this many times `unreadMs` … */
const SLOW_AFTER = 3
/** … it must have taken this much on average. A modem takes seven times as much. */
const BYTES_PER_MS_MIN = 1

export const nothingSeen = (): Seen => ({
  unwritten: 0,
  taken: 0,
  movedAt: undefined,
  began: undefined,
  endedAt: undefined,
})

/** Checks one output against its deadlines. */
export function lookAt(output: Output, now: number, deadlines: Deadlines): Overdue | undefined {
  const { seen } = output
  seen.unwritten = output.unwritten()
  if (seen.unwritten === 0) {
    seen.movedAt = undefined
    seen.began = undefined
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
  // For an HTTP/2 stream the number of bytes taken is unknown.
  if (!began || taken < 0) return false
  const waitedMs = now - began.at
  return waitedMs >= SLOW_AFTER * unreadMs && taken - began.taken < waitedMs * BYTES_PER_MS_MIN
}

type Waiting = Pick<Output, 'seen'> & Readonly<{ caller: string }>

/**
 * The outputs to drop so that the rest stays within `bytesMax`: each time the largest one of the
 * caller with the most bytes, so that many small outputs count like one large.
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
