import { setTimeout as sleep } from 'node:timers/promises'
import type { Identity } from '../../bench/harness/certificates.ts'
import { summarize } from '../../bench/harness/statistics.ts'
import { ask, openConnection } from '../../bench/load/raw-connection.ts'
import { numbered, requestBytes, reservationBody } from '../../bench/load/requests.ts'

/** One reservation of a polite caller. */
export type Probe = Readonly<{ at: number; tookMs: number; status: number }>

const EVERY_MS = 50
/** So many in a row, served as before, are a recovery and not a lull. */
const IN_A_ROW = 5
/** Of what it took before the burst, since a machine in use is never as quick twice. */
const AS_BEFORE_FACTOR = 5
const AS_BEFORE_MIN_MS = 100

/** One caller that asks for little, waits for the answer and asks again. */
export async function startProbes(port: number, { directory }: Identity) {
  const probes: Probe[] = []
  const body = reservationBody(`polite-${Date.now().toString(36)}`)
  const next = numbered(requestBytes('POST', '/reservations', body), 0)
  let connection = await openConnection({ port, directory })
  let isStopped = false
  const probing = (async () => {
    while (!isStopped) {
      if (!connection.isOpen()) connection = await openConnection({ port, directory })
      const at = performance.now()
      const { status } = await ask(connection, next())
      probes.push({ at, tookMs: performance.now() - at, status })
      await sleep(EVERY_MS)
    }
    connection.close()
  })()
  // A refused connection is an answer to look at, not the end of the run.
  probing.catch(() => {})
  return {
    seen: (): readonly Probe[] => probes,
    stop() {
      isStopped = true
    },
  }
}

type Burst = Readonly<{ burstAt: number; endedAt: number }>

/** How long after the burst the first of several in a row was served as before it. */
export function recoveryOf(
  probes: readonly Probe[],
  { burstAt, endedAt }: Burst,
): number | undefined {
  const calm = probes.filter(({ at, tookMs }) => at + tookMs < burstAt)
  const { p99 } = summarize(calm.map(({ tookMs }) => tookMs))
  const limitMs = Math.max(AS_BEFORE_MIN_MS, AS_BEFORE_FACTOR * p99)
  const after = probes.filter(({ at, tookMs }) => at + tookMs >= endedAt)
  const served = after.map(({ tookMs, status }) => status === 201 && tookMs <= limitMs)
  const first = served.findIndex(
    (_, nth) => nth + IN_A_ROW <= served.length && served.slice(nth, nth + IN_A_ROW).every(Boolean),
  )
  const probe = after[first]
  return probe && Math.max(0, probe.at + probe.tookMs - endedAt)
}
