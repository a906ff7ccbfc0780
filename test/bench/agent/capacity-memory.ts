import { setTimeout as sleep } from 'node:timers/promises'
import { peakRssMbOf, rssMbOf } from '@bourse/testkit/process-usage'
import type { Benchmark, Line, Stage } from '../harness/benchmark.ts'
import { startAgent } from './crowded-agent.ts'
import { crowdedNodes, crowdedPods } from './crowded-cluster.ts'

const SIZES = [
  { nodes: 0, pods: 0, rssMbMax: 90 },
  { nodes: 1_000, pods: 10_000, rssMbMax: 120 },
  { nodes: 5_000, pods: 100_000, rssMbMax: 300 },
] as const
/** A moment for the collector, as an agent has after its start. */
const REST_MS = 5_000

/** What an agent takes up, after it has listed all of its cluster and advertised it. */
export const capacityMemory: Benchmark = {
  name: 'capacity-memory',
  bar: '≤ 90 MB with an empty cluster, ≤ 120 with 10,000 pods, ≤ 300 with 100,000',

  async run(stage) {
    const sizes = stage.pace.isQuick ? SIZES.slice(0, 2) : SIZES
    const lines: Line[] = []
    const details: unknown[] = []
    for (const size of sizes) {
      const { rssMb, peakMb, startMs } = await watchOnce(stage, size)
      const { nodes, pods, rssMbMax } = size
      const cluster = `${nodes.toLocaleString('en')} nodes, ${pods.toLocaleString('en')} pods`
      lines.push(
        {
          what: `agent: RSS, ${cluster}`,
          measured: rssMb,
          unit: 'MB',
          bar: { kind: 'atMost', limit: rssMbMax, said: `≤ ${rssMbMax} MB` },
        },
        { what: `agent: start to first advertisement, ${cluster}`, measured: startMs, unit: 'ms' },
      )
      details.push({ ...size, rssMb, peakMb, startMs })
    }
    return { lines, details }
  },
}

async function watchOnce(stage: Stage, { nodes, pods }: (typeof SIZES)[number]) {
  const lists = { nodes: crowdedNodes(nodes), pods: crowdedPods(pods, nodes) }
  const agent = await startAgent(stage, `with-${pods}-pods`, lists)
  const { advertised, pid, startMs } = agent
  if (Number(advertised.pods ?? 0) !== pods)
    throw new Error(`It advertised ${advertised.pods} pods.`)
  await sleep(REST_MS)
  const sizes = { rssMb: rssMbOf(pid), peakMb: peakRssMbOf(pid), startMs }
  await agent.stop()
  return sizes
}
