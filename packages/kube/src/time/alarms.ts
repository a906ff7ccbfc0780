import { type Clock, pause } from './clock.ts'

type Alarm = Readonly<{ key: string; at: number }>

/** Cleared alarms stay in the heap until they outnumber the others. */
const CLEARED_MAX = 1_000

/** Alarms for any number of keys on one timer. */
export function createAlarms(
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
  ring: (key: string) => void,
) {
  const dueAt = new Map<string, number>()
  let heap: Alarm[] = []
  let sleeping: { until: number; wake: AbortController } | undefined
  let isStopped = false

  function isLive({ key, at }: Alarm): boolean {
    return dueAt.get(key) === at
  }

  function next(): Alarm | undefined {
    while (heap[0] && !isLive(heap[0])) pop(heap)
    return heap[0]
  }

  function ringDue(): void {
    for (let first = next(); first && first.at <= clock.monotonic(); first = next()) {
      pop(heap)
      dueAt.delete(first.key)
      ring(first.key)
    }
  }

  function rest(): void {
    const first = next()
    if (isStopped || !first || (sleeping && sleeping.until <= first.at)) return
    sleeping?.wake.abort()
    const mine = { until: first.at, wake: new AbortController() }
    sleeping = mine
    pause(clock, Math.max(0, first.at - clock.monotonic()), mine.wake.signal).then(() => {
      if (mine.wake.signal.aborted) return
      sleeping = undefined
      ringDue()
      rest()
    })
  }

  return {
    /** Rings after the delay; of two alarms for the same key the earlier wins. */
    set(key: string, delayMs: number): void {
      const at = clock.monotonic() + delayMs
      if ((dueAt.get(key) ?? Number.POSITIVE_INFINITY) <= at) return
      dueAt.set(key, at)
      push(heap, { key, at })
      if (heap.length > 2 * dueAt.size + CLEARED_MAX)
        heap = heap.filter(isLive).sort((a, b) => a.at - b.at)
      rest()
    },
    has: (key: string) => dueAt.has(key),
    clear: (key: string) => dueAt.delete(key),
    size: () => dueAt.size,
    stop(): void {
      isStopped = true
      dueAt.clear()
      sleeping?.wake.abort()
    },
  }
}

/** A binary heap: no parent is later than its children at 2i + 1 and 2i + 2. */
function push(heap: Alarm[], alarm: Alarm): void {
  let at = heap.push(alarm) - 1
  while (at > 0) {
    const up = (at - 1) >> 1
    const parent = heap[up]
    if (!parent || parent.at <= alarm.at) break
    heap[at] = parent
    at = up
  }
  heap[at] = alarm
}

function pop(heap: Alarm[]): void {
  const last = heap.pop()
  if (!last || heap.length === 0) return
  let at = 0
  for (;;) {
    const left = heap[2 * at + 1]
    const right = heap[2 * at + 2]
    const isRight = left !== undefined && right !== undefined && right.at < left.at
    const child = isRight ? right : left
    if (!child || child.at >= last.at) break
    heap[at] = child
    at = 2 * at + (isRight ? 2 : 1)
  }
  heap[at] = last
}
