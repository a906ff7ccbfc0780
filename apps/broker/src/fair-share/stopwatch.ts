/** The processor time of a thread is counted in steps of about this. */
const STEP_MS = 4

/**
 * Measures how long this thread is busy. The wall clock would also charge callers for other work on
 * a busy machine.
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
