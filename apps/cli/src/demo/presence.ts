import { pause } from './simulated-cluster.ts'

type Ports = Readonly<{
  /** Resolves once the broker answers again. */
  ready(): Promise<void>
  pid(): number | undefined
  print(line: string): void
  signal: AbortSignal
}>

/** Trouble is told once in a while: when something fails every cluster would say the same. */
const TROUBLE_EVERY_MS = 5_000
/** Clusters notice that the broker is gone before its process has ended. */
const TROUBLE_SETTLES_MS = 1_000
/** What a cluster asked while the broker was away may fail for this long after its return. */
const RETURN_SETTLES_MS = 30_000

/** Tells when the broker goes and comes back, and of other trouble only while it is there. */
export function createPresence({ ready, pid, print, signal }: Ports) {
  let isAway = false
  let absences = 0
  let returnedAt = Number.NEGATIVE_INFINITY
  let toldAt = Number.NEGATIVE_INFINITY

  return { went, onTrouble }

  function went(how: string): void {
    print(`The broker went away (${how}); starting it again on its data.`)
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
    // It may have gone and come back meanwhile: then that was the trouble.
    if (absences === before && !signal.aborted) print(`${clusterId}: ${error.message}`)
  }
}
