import { setTimeout as sleep } from 'node:timers/promises'
import { writesSeen, writtenSince } from '@bourse/testkit/control-plane'
import { cpuMsOf } from '@bourse/testkit/process-usage'
import type { Benchmark, Line } from '../harness/benchmark.ts'
import type { Identity } from '../harness/certificates.ts'
import { ask, openConnection, type RawAnswer } from '../load/raw-connection.ts'
import { advertisementBody, requestBytes } from '../load/requests.ts'
import { startFederation } from '../rest/federation.ts'
import { startApiServer } from './api-server.ts'
import { mirrorsWritten } from './mirrors-written.ts'

const CLUSTERS = 100
const PERIOD_MS = 30_000
const CORE_PERCENT_MAX = 2
const IDLE_CORE_PERCENT_MAX = 1
/** Periods that are measured of each kind, after one in which the engine compiles. */
const PERIODS = 2
/** In a minute, whenever it begins. */
const NOTES_MAX = 2
/** One advertisement in this many is a change; the others are signs of life. */
const CHANGE_EVERY = 10

/**
 * What a broker costs without requests. Agents publish a change at once and repeat themselves every
 * period, so most advertisements differ only in their timestamp. The worst case (every one is a
 * change) and the best (none is) are measured as well.
 */
export const kubernetesAdvertising: Benchmark = {
  name: 'kubernetes-advertising',
  bar:
    '≤ 2 % of a core for 100 clusters that advertise every 30 s, each tenth time a change; ' +
    'they add ≤ 1 % to a broker without any, and one batch a minute, while they have nothing to say',

  async run(stage) {
    const server = await startApiServer(stage)
    const name = 'kubernetes-advertising'
    const { flags } = server
    const federation = await startFederation(stage, name, { flags, clusters: CLUSTERS })
    const { broker, port, providers } = federation
    await mirrorsWritten(broker)
    const { controlPlane } = server
    const { isQuick } = stage.pace
    const measuredMs = isQuick ? PERIOD_MS / 3 : PERIODS * PERIOD_MS
    const pids = { broker: broker.pid, apiServer: controlPlane.apiServer.pid }
    const look = () => sharesOf(pids, measuredMs)
    const stopping = new AbortController()
    const { signal } = stopping
    const habit = { changeEvery: CHANGE_EVERY }
    const agents = Promise.all(
      providers.map((identity, number) => advertise(identity, { port, number, habit, signal })),
    )
    await sleep(isQuick ? PERIOD_MS / 3 : PERIOD_MS)
    const usual = await look()
    habit.changeEvery = 1
    const busiest = await look()
    habit.changeEvery = Number.POSITIVE_INFINITY
    await mirrorsWritten(broker)
    const before = await writesSeen(controlPlane)
    const idle = await look()
    const written = writtenSince(before, await writesSeen(controlPlane))
    stopping.abort()
    await agents
    const alone = await look()
    await federation.dispose()
    await server.stop()
    const lines = linesOf({ usual, busiest, idle, alone, written })
    return { lines, details: { measuredMs, written, alone } }
  },
}

type Shares = Awaited<ReturnType<typeof sharesOf>>
type Seen = Readonly<
  Record<'usual' | 'busiest' | 'idle' | 'alone', Shares> & { written: readonly string[] }
>

function linesOf({ usual, busiest, idle, alone, written }: Seen): Line[] {
  const what = 'share of a core, 100 clusters that advertise every 30 s'
  const atMost = (limit: number, said: string) => ({ kind: 'atMost', limit, said }) as const
  const bar = atMost(CORE_PERCENT_MAX, '≤ 2 % of a core')
  const low = atMost(IDLE_CORE_PERCENT_MAX, '≤ 1 % of a core')
  // A broker without any agent takes more than half a percent: that is not their cost.
  const added = idle.broker - alone.broker
  // contract: once a minute one batch notes when each cluster was last heard.
  const [notes, others] = [written.filter(isNote), written.filter((one) => !isNote(one))]
  const unit = '%'
  return [
    { what: `${what}, 1 in 10 a change`, measured: usual.broker, unit, bar },
    { what: `${what}, all of them changes`, measured: busiest.broker, unit },
    { what: `${what}, never a change`, measured: idle.broker, unit },
    { what: 'share of a core, the same without any agent', measured: alone.broker, unit },
    { what: 'what they add, never a change', measured: added, unit, bar: low },
    {
      what: 'objects, never a change',
      measured: others.length,
      unit: 'writes',
      bar: atMost(0, '0'),
    },
    {
      what: 'batches, never a change',
      measured: notes.length,
      unit: 'writes',
      bar: atMost(NOTES_MAX, '≤ 1 a minute'),
    },
    { what: 'share of its API server, 1 in 10 a change', measured: usual.apiServer, unit },
    { what: 'share of its API server, all changes', measured: busiest.apiServer, unit },
    { what: 'share of its API server, never a change', measured: idle.apiServer, unit },
  ]
}

const isNote = (version: string) => version.startsWith('JournalSlot ')

type Pids = Readonly<{ broker: number; apiServer: number }>

/** Percent of a core that each used from now on. */
async function sharesOf({ broker, apiServer }: Pids, measuredMs: number) {
  const before = [cpuMsOf(broker), cpuMsOf(apiServer)] as const
  await sleep(measuredMs)
  const percent = (pid: number, beforeMs: number) => (100 * (cpuMsOf(pid) - beforeMs)) / measuredMs
  return { broker: percent(broker, before[0]), apiServer: percent(apiServer, before[1]) }
}

type Agent = Readonly<{
  port: number
  number: number
  /** How often it says something new; read each time. */
  habit: { changeEvery: number }
  signal: AbortSignal
}>

/** As an agent does: one connection that speaks, and one question that waits for instructions. */
async function advertise(
  identity: Identity,
  { port, number, habit, signal }: Agent,
): Promise<void> {
  const { clusterId, directory } = identity
  const waiting = await openConnection({ port, directory })
  const polling = poll()
  const rest = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {})
  const speaking = await openConnection({ port, directory })
  let allocated = 1
  // Not all in the same period.
  for (let turn = number; !signal.aborted; turn++) {
    if (turn % habit.changeEvery === 0) allocated++
    const body = { ...advertisementBody(clusterId, number), timestamp: new Date().toISOString() }
    body.resources.allocated.cpu = `${allocated}`
    const { status } = await ask(speaking, requestBytes('POST', '/advertisements', body))
    if (status !== 200) throw new Error(`${clusterId} was answered ${status}.`)
    // All begin at once, so that no handshake is measured, and do not go on in step.
    await rest(turn === number ? (number / CLUSTERS) * PERIOD_MS : PERIOD_MS)
  }
  speaking.close()
  waiting.close()
  await polling

  async function poll(): Promise<void> {
    let after = ''
    while (!signal.aborted) {
      const path = `/instructions${after && `?wait=30s&after=${after}`}`
      after = indexOf(await ask(waiting, requestBytes('GET', path)))
    }
  }
}

const indexOf = ({ head }: RawAnswer) => /bourse-index: (\d+)/i.exec(head)?.[1] ?? ''
