/** After its work a caller rests this many times as long: a quarter of the event loop at most. */
const REST_RATIO = 3
/** Callers whose rest is remembered; above this number, rested callers are forgotten. */
const RESTING_MAX = 10_000

/** Runs a part of a job and counts its time; what a job waits for costs nothing. */
export type Timed = <T>(part: () => T) => T
type Job = Readonly<{ caller: string; run(): Promise<void> }>

type Ports = Readonly<{
  now(): number
  /** Begins to measure; what it returns says how long the thread has been busy since. */
  stopwatch(): () => number
  charge(caller: string, elapsedMs: number): void
}>

/**
 * A queue for jobs of several milliseconds: large bodies, long lists, evaluations. Each turn of the
 * event loop runs one of them. Each caller has one at a time with a rest after it, and callers take
 * turns, so a small request waits for few of them.
 */
export function createHeavyLine({ now, stopwatch, charge }: Ports) {
  /** In the order of their turns. */
  const queues = new Map<string, Job[]>()
  const atWork = new Set<string>()
  const restsUntil = new Map<string, number>()
  let soon: NodeJS.Immediate | undefined
  let later: NodeJS.Timeout | undefined

  return { run, waiting, stop }

  /** `prepaidMs`: what has been paid for already. */
  function run<T>(
    caller: string,
    job: (timed: Timed) => T | Promise<T>,
    prepaidMs = 0,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const queue = queues.get(caller)
      const entry = { caller, run: () => settle(caller, job, prepaidMs).then(resolve, reject) }
      if (queue) queue.push(entry)
      else queues.set(caller, [entry])
      wakeNow()
    })
  }

  async function settle<T>(
    caller: string,
    job: (timed: Timed) => T | Promise<T>,
    prepaidMs: number,
  ): Promise<T> {
    let busyMs = 0
    let paidMs = prepaidMs
    try {
      return await job((part) => {
        const read = stopwatch()
        try {
          return part()
        } finally {
          busyMs += read()
          // At once: its next request may be here before this job has ended.
          if (busyMs > paidMs) charge(caller, busyMs - paidMs)
          paidMs = Math.max(paidMs, busyMs)
        }
      })
    } finally {
      atWork.delete(caller)
      rest(caller, busyMs)
      if (queues.size > 0) wakeNow()
    }
  }

  function rest(caller: string, busyMs: number): void {
    if (restsUntil.size >= RESTING_MAX) forgetRested()
    restsUntil.set(caller, now() + REST_RATIO * busyMs)
  }

  function forgetRested(): void {
    const at = now()
    for (const [caller, until] of restsUntil) if (until <= at) restsUntil.delete(caller)
  }

  function wakeNow(): void {
    clearTimeout(later)
    soon ??= setImmediate(next)
  }

  function stop(): void {
    clearTimeout(later)
    clearImmediate(soon)
  }

  /** Begins the first job whose caller has rested, or comes back when one has. */
  function next(): void {
    soon = undefined
    const at = now()
    let soonest = Number.POSITIVE_INFINITY
    for (const [caller, queue] of queues) {
      if (atWork.has(caller)) continue
      const until = restsUntil.get(caller) ?? 0
      if (until <= at) {
        begin(caller, queue)
        return
      }
      soonest = Math.min(soonest, until)
    }
    if (soonest < Number.POSITIVE_INFINITY) later = setTimeout(wakeNow, Math.ceil(soonest - at))
  }

  function begin(caller: string, queue: Job[]): void {
    const job = queue.shift()
    // To the end of the line: other callers come first.
    queues.delete(caller)
    if (queue.length > 0) queues.set(caller, queue)
    atWork.add(caller)
    void job?.run()
    if (queues.size > 0) wakeNow()
  }

  function waiting(): number {
    let count = 0
    for (const queue of queues.values()) count += queue.length
    return count
  }
}
