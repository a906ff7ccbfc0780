export type Time = Readonly<{ now(): number; tick(): void }>

/**
 * Time in which this process was at work. One that was held up for seconds finds connections that
 * seem to have said nothing meanwhile: it was we who did not listen.
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
