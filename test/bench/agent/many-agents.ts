import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cpuMsOf, rssMbOf } from '@bourse/testkit/process-usage'
import type { Benchmark, Stage } from '../harness/benchmark.ts'
import { end, startMeasured } from '../harness/broker-process.ts'
import type { Identity } from '../harness/certificates.ts'
import { startWorker } from '../harness/worker.ts'
import type { AgentsOrder, AgentsReport } from './agents-process.ts'

const AGENTS = 500
const AGENTS_QUICK = 50
const PROCESSES = 2
const CORE_PERCENT_MAX = 10
/** Two signs of life of each, and as many long polls. */
const IDLE_MS = 60_000
const IDLE_QUICK_MS = 5_000
const SETTLE_MS = 5_000

/** What a broker costs while five hundred agents have nothing to say but that they are there. */
export const manyAgents: Benchmark = {
  name: 'many-agents',
  bar: '≤ 10 % of a core for 500 idle agents: a heartbeat every 30 s, long polls open',

  async run(stage) {
    const count = stage.pace.isQuick ? AGENTS_QUICK : AGENTS
    const broker = await startMeasured(stage, { dataDir: join(stage.workDir, 'many-agents') })
    const crowds = await startCrowds(stage, broker.url, count)
    await sleep(SETTLE_MS)
    const sentBefore = sentBy(await reportsOf(crowds))
    const before = { cpuMs: cpuMsOf(broker.pid), at: performance.now() }
    await sleep(stage.pace.isQuick ? IDLE_QUICK_MS : IDLE_MS)
    const cpuMs = cpuMsOf(broker.pid) - before.cpuMs
    const tookMs = performance.now() - before.at
    const rssMb = rssMbOf(broker.pid)
    const reports = await reportsOf(crowds)
    const waits = await openWaitsAt(broker.metricsUrl)
    for (const { stop } of crowds) stop()
    await end(broker)
    expectQuiet(reports, count)
    if (waits < count) throw new Error(`Only ${waits} long polls of ${count} agents are open.`)

    const what = `broker with ${count} idle agents`
    return {
      lines: [
        {
          what: `${what}: share of a core`,
          measured: (100 * cpuMs) / tookMs,
          unit: '%',
          bar: { kind: 'atMost', limit: CORE_PERCENT_MAX, said: '≤ 10 % of a core' },
        },
        {
          what: `${what}: their heartbeats meanwhile`,
          measured: (1_000 * (sentBy(reports) - sentBefore)) / tookMs,
          unit: '/s',
        },
        { what: `${what}: RSS`, measured: rssMb, unit: 'MB' },
      ],
      details: { cpuMs, tookMs, waits, reports },
    }
  },
}

/** In processes of their own, each with its part of the agents, all known to the broker. */
async function startCrowds({ certificates }: Stage, brokerUrl: string, count: number) {
  const identities = await certificates.clusters('provider', count)
  const part = Math.ceil(count / PROCESSES)
  const starts = Array.from({ length: PROCESSES }, (_, nth) => nth * part)
  return Promise.all(starts.map((from) => start(identities.slice(from, from + part))))

  function start(some: readonly Identity[]) {
    const order: AgentsOrder = { brokerUrl, identities: some }
    return startWorker(new URL('./agents-process.ts', import.meta.url), order)
  }
}

const reportsOf = (crowds: Awaited<ReturnType<typeof startCrowds>>) =>
  Promise.all(crowds.map(({ ask }) => ask<AgentsReport>({ kind: 'report' })))
const sentBy = (reports: readonly AgentsReport[]) =>
  reports.reduce((sum, { sent }) => sum + sent, 0)

/** Agents that failed would cost the broker less, or more: then the figure means nothing. */
function expectQuiet(reports: readonly AgentsReport[], count: number): void {
  const well = reports.reduce((sum, report) => sum + report.well, 0)
  const troubles = reports.flatMap((report) => report.troubles)
  if (well !== count) throw new Error(`Only ${well} of ${count} agents are well.`)
  if (troubles.length > 0) throw new Error(`${troubles.length} troubles: ${troubles[0]}`)
}

async function openWaitsAt(metricsUrl: string): Promise<number> {
  const text = await (await fetch(metricsUrl)).text()
  const [, waits] = /^broker_open_waits (\d+)$/m.exec(text) ?? []
  if (waits === undefined) throw new Error('The broker does not tell its open waits.')
  return Number(waits)
}
