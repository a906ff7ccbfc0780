import { pause } from './simulated-cluster.ts'

type Ports = Readonly<{
  /** Resolves once the broker answers again. */
  ready(): Promise<void>
  pid(): number | undefined
  print(line: string): void
  signal: AbortSignal
}>

/** At most one report in this time: when something fails, every cluster reports the same. */
const TROUBLE_EVERY_MS = 5_000
/** Clusters may notice the broker's end before its process has exited. */
const TROUBLE_SETTLES_MS = 1_000
/** Calls made while the broker was away may fail for this long after its return. */
const RETURN_SETTLES_MS = 30_000

/** Reports when the broker ends and returns, and other trouble only while it runs. */
export function createPresence({ ready, pid, print, signal }: Ports) {
  let isAway = false
  let absences = 0
  let returnedAt = Number.NEGATIVE_INFINITY
  let toldAt = Number.NEGATIVE_INFINITY

  return { went, onTrouble }

  function went(how: string): void {
    print(`The broker stopped (${how}); restarting it on the same data.`)
    if (!isAway) void awaitReturn()
  }

  async function awaitReturn(): Promise<void> {
    isAway = true
    absences++
    await ready()
    isAway = false
    returnedAt = performance.now()
    if (!signal.aborted) print(`It is back, process ${pid()}, and has lost nothing.`)
  }

  async function onTrouble(clusterId: string, error: Error): Promise<void> {
    const now = performance.now()
    const isOfAbsence = isAway || now - returnedAt < RETURN_SETTLES_MS
    if (isOfAbsence || now - toldAt < TROUBLE_EVERY_MS) return
    toldAt = now
    const before = absences
    await pause(TROUBLE_SETTLES_MS, signal)
    // If the broker ended and returned meanwhile, that was the cause.
    if (absences === before && !signal.aborted) print(`${clusterId}: ${error.message}`)
  }
}
