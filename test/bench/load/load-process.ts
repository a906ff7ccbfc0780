import { once } from 'node:events'
import { inTurn } from '../harness/in-turn.ts'
import { summarize } from '../harness/statistics.ts'
import type { LoadOrder, LoadReport } from './load-client.ts'
import { openConnection, type RawConnection } from './raw-connection.ts'
import { type Stream, streamOf } from './workloads.ts'

/** The process that makes the load; `load-client.ts` starts it and tells it what to do. */
type Identity = LoadOrder['identities'][number]
type Lane = { connection: RawConnection; stream: Stream }

/** Rounds are seconds long; more than this many samples are not kept. */
const SAMPLES_MAX = 1_000_000

// Sent by `startLoad`.
const [{ port, identities, workload }] = (await once(process, 'message')) as [LoadOrder]
const run = Date.now().toString(36)
const lanes = await inTurn(identities, openLane)
process.on('message', (round: { inFlight: number; roundMs: number }) => {
  runRound(round).then((report) => process.send?.(report))
})
process.send?.({ kind: 'ready' })

async function openLane({ clusterId, directory }: Identity, number: number): Promise<Lane> {
  const connection = await openConnection({ port, directory })
  const stream = streamOf(workload, { clusterId, number, run })
  // A server gives up on a connection that says nothing for long, and its turn may come late.
  await new Promise<void>((resolve) => {
    connection.send(stream.next(), (answer) => {
      stream.learn?.(answer)
      resolve()
    })
  })
  return { connection, stream }
}

/** Keeps `inFlight` requests under way, the connections taking turns, until the time is up. */
function runRound({ inFlight, roundMs }: { inFlight: number; roundMs: number }) {
  const tookMs = new Float64Array(SAMPLES_MAX)
  const statuses: Record<number, number> = {}
  const resting = [...lanes]
  let count = 0
  let underWay = 0
  const startedAt = performance.now()

  return new Promise<LoadReport>((resolve) => {
    for (let lane = 0; lane < inFlight; lane += 1) step()

    function step(): void {
      const lane = resting.shift()
      if (!lane) return
      const sentAt = performance.now()
      underWay += 1
      lane.connection.send(lane.stream.next(), (answer) => {
        const now = performance.now()
        if (count < SAMPLES_MAX) tookMs[count] = now - sentAt
        count += 1
        statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
        lane.stream.learn?.(answer)
        underWay -= 1
        // A closed connection stays out; the report shows it as status 0.
        if (answer.status !== 0) resting.push(lane)
        if (now - startedAt < roundMs) step()
        else if (underWay === 0) resolve(report(now))
      })
    }

    function report(now: number): LoadReport {
      const { p50, p99, max } = summarize(tookMs.subarray(0, Math.min(count, SAMPLES_MAX)))
      return { count, perSecond: (1_000 * count) / (now - startedAt), p50, p99, max, statuses }
    }
  })
}
