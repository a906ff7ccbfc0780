export type Time = Readonly<{ now(): number; tick(): void }>

/**
 * Time in which this process was running. After a pause of the process of several seconds, clients
 * only seem silent: we did not read.
 */
export function createWorkingTime(clock: () => number, stepMaxMs: number): Time {
  let at = 0
  let last = clock()
  return { now: () => at, tick }

  function tick(): void {
    const current = clock()
    at += Math.min(current - last, stepMaxMs)
    last = current
  }
}
