import { setTimeout as sleep } from 'node:timers/promises'
import type { Benchmark } from '../benchmark.ts'
import type { Identity } from '../certificates.ts'
import { startFederation } from '../federation.ts'
import { cpuMsOf } from '../process-usage.ts'
import { ask, openConnection, type RawAnswer } from '../raw-connection.ts'
import { advertisementBody, requestBytes } from '../requests.ts'
import { startApiServer } from './api-server.ts'
import { windowsDrained } from './windows-drained.ts'

const CLUSTERS = 100
const PERIOD_MS = 30_000
const CORE_PERCENT_MAX = 2
/** Periods that are measured, after one in which the engine compiles. */
const PERIODS = 2

/** What a broker costs while nothing happens but that everybody repeats what they have. */
export const kubernetesAdvertising: Benchmark = {
  name: 'kubernetes-advertising',
  bar: '≤ 2 % of a core for 100 clusters that advertise every 30 s',

  async run(stage) {
    const server = await startApiServer(stage)
    const name = 'kubernetes-advertising'
    const { flags } = server
    const federation = await startFederation(stage, name, { flags, clusters: CLUSTERS })
    const { broker, port, providers } = federation
    await windowsDrained(broker)
    const stopping = new AbortController()
    const { signal } = stopping
    const agents = Promise.all(
      providers.map((identity, number) => advertise(identity, { port, number, signal })),
    )
    const { pid } = broker
    const startCpuMs = [cpuMsOf(pid), cpuMsOf(server.controlPlane.apiServer.pid)] as const
    await sleep(stage.pace.isQuick ? PERIOD_MS / 3 : PERIOD_MS)
    const before = [cpuMsOf(pid), cpuMsOf(server.controlPlane.apiServer.pid)] as const
    const measuredMs = stage.pace.isQuick ? PERIOD_MS / 3 : PERIODS * PERIOD_MS
    await sleep(measuredMs)
    const after = [cpuMsOf(pid), cpuMsOf(server.controlPlane.apiServer.pid)] as const
    stopping.abort()
    await agents
    await federation.dispose()
    await server.stop()

    const percent = (which: 0 | 1) => (100 * (after[which] - before[which])) / measuredMs
    return {
      lines: [
        {
          what: 'share of a core, 100 clusters that advertise every 30 s',
          measured: percent(0),
          unit: '%',
          bar: { kind: 'atMost', limit: CORE_PERCENT_MAX, said: '≤ 2 % of a core' },
        },
        { what: 'share of a core of its API server meanwhile', measured: percent(1), unit: '%' },
      ],
      details: { startCpuMs, before, after, measuredMs },
    }
  },
}

type Agent = Readonly<{ port: number; number: number; signal: AbortSignal }>

/** As an agent does: a change every period, and one question that waits for instructions. */
async function advertise(identity: Identity, { port, number, signal }: Agent): Promise<void> {
  const { clusterId, directory } = identity
  const waiting = await openConnection({ port, directory })
  const polling = poll()
  const rest = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {})
  await rest((number / CLUSTERS) * PERIOD_MS)
  const speaking = await openConnection({ port, directory })
  for (let change = 1; !signal.aborted; change++) {
    const body = advertisementBody(clusterId, number)
    body.resources.allocated.cpu = `${change}`
    const { status } = await ask(speaking, requestBytes('POST', '/advertisements', body))
    if (status !== 200) throw new Error(`${clusterId} was answered ${status}.`)
    await rest(PERIOD_MS)
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
