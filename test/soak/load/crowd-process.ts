import { once } from 'node:events'
import { inTurn } from '../../bench/harness/in-turn.ts'
import { summarize } from '../../bench/harness/statistics.ts'
import { openConnection, type RawConnection } from '../../bench/load/raw-connection.ts'
import { type Stream, streamOf } from '../../bench/load/workloads.ts'
import type { CrowdOrder, Spell } from './crowd.ts'

/** `crowd.ts` starts this process and tells it what to do. */
type Lane = Readonly<{ connection: RawConnection; stream: Stream }>

const HANDSHAKES_AT_ONCE = 32
const TICK_MS = 10
/** Of each requester; beyond it each reservation is paid for with a release. */
const LIVE_EACH = 10
/** Waiting for a free connection; more of them says only that the broker is late. */
const BACKLOG_MAX = 10_000

const [order] = (await once(process, 'message')) as [CrowdOrder]
const run = Date.now().toString(36)
const clusters = await openLanes(order.clusters, { kind: 'advertise', isChanging: true })
const requesters = await openLanes(order.requesters, {
  kind: 'churn',
  livePerConnection: LIVE_EACH,
})
let spell = newSpell()
const backlog: number[] = []
const resting = [...requesters]
startHeartbeats()
startReservations()
process.on('message', () => {
  process.send?.(closeSpell())
})
process.send?.({ kind: 'ready' })

function openLanes(
  identities: CrowdOrder['clusters'],
  workload: Parameters<typeof streamOf>[0],
): Promise<Lane[]> {
  const open = async ({ clusterId, directory }: (typeof identities)[number], number: number) => {
    const connection = await openConnection({ port: order.port, directory })
    const lane = { connection, stream: streamOf(workload, { clusterId, number, run }) }
    await new Promise<void>((resolve) => sendNext(lane, () => resolve()))
    return lane
  }
  return inTurn(identities, open, HANDSHAKES_AT_ONCE)
}

function sendNext({ connection, stream }: Lane, answered: (status: number) => void): void {
  connection.send(stream.next(), (answer) => {
    stream.learn?.(answer)
    answered(answer.status)
  })
}

/** Spread over the interval, as they are in a federation that did not start at one moment. */
function startHeartbeats(): void {
  const silent = [...clusters]
  often(clusters.length / order.heartbeatMs, () => {
    const lane = silent.shift()
    if (!lane) return
    sendNext(lane, (status) => {
      spell.heartbeats++
      count(status)
      if (status !== 0) silent.push(lane)
    })
  })
}

/** They come when they come, answered or not: what waits for a connection waits in the figures. */
function startReservations(): void {
  // A release goes with each reservation.
  often((2 * order.reservationsPerSecond) / 1_000, () => {
    if (backlog.length < BACKLOG_MAX) backlog.push(performance.now())
    step()
  })
}

/** By the clock, as timers are late on a busy machine. */
function often(perMs: number, action: () => void): void {
  let due = 0
  let at = performance.now()
  setInterval(() => {
    const now = performance.now()
    due += (now - at) * perMs
    at = now
    for (; due >= 1; due--) action()
  }, TICK_MS)
}

function step(): void {
  while (backlog.length > 0) {
    const lane = resting.shift()
    if (!lane) return
    const dueAt = backlog.shift() ?? 0
    sendNext(lane, (status) => {
      if (status === 201) spell.tookMs.push(performance.now() - dueAt)
      count(status)
      // A closed connection stays out; the report shows it as status 0.
      if (status !== 0) resting.push(lane)
      step()
    })
  }
}

function count(status: number): void {
  spell.statuses[status] = (spell.statuses[status] ?? 0) + 1
}

function newSpell() {
  const statuses: Record<number, number> = {}
  const tookMs: number[] = []
  return { startedAt: performance.now(), tookMs, heartbeats: 0, statuses }
}

function closeSpell(): Spell {
  const { startedAt, tookMs, heartbeats, statuses } = spell
  spell = newSpell()
  const { count: reservations, p50, p99, max } = summarize(tookMs)
  const seconds = (performance.now() - startedAt) / 1_000
  return { seconds, reservations, heartbeats, p50, p99, max, statuses }
}
