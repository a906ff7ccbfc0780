/** The processor time of a thread is counted in steps of about this. */
const STEP_MS = 4

/**
 * Begins to measure work of this thread; the returned function says how long it has been busy. By
 * the clock alone, callers would also pay for whatever else runs on a busy machine.
 */
export function startStopwatch(): () => number {
  const startedAt = performance.now()
  const cpuBefore = threadCpuMs()
  return () => busyMs(performance.now() - startedAt, threadCpuMs() - cpuBefore)
}

export function busyMs(elapsedMs: number, cpuMs: number): number {
  return Math.min(elapsedMs, Math.max(STEP_MS, cpuMs))
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
