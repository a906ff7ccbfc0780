import { setTimeout as sleep } from 'node:timers/promises'
import { cpuMsOf } from '@bourse/testkit/process-usage'
import type { Benchmark, Pace } from '../harness/benchmark.ts'
import { type MeasuredAgent, startAgent } from './crowded-agent.ts'
import { aCrowdedPod, crowdedNodes, crowdedPods } from './crowded-cluster.ts'

const NODES = 1_000
const PODS = 10_000
const CHANGES_PER_S = 50
const CPU_PERCENT_MAX = 5
/** Until the start is collected and compiled away. */
const REST_MS = 3_000

/** What it costs an agent to follow a busy cluster. */
export const capacityCpu: Benchmark = {
  name: 'capacity-cpu',
  bar: '≤ 5 % of a core with 10,000 pods and 50 pod changes a second',

  async run(stage) {
    const lists = { nodes: crowdedNodes(NODES), pods: crowdedPods(PODS, NODES) }
    const agent = await startAgent(stage, 'busy', lists)
    await sleep(REST_MS)
    const before = { cpuMs: cpuMsOf(agent.pid), at: performance.now() }
    const changes = await change(agent, lengthMs(stage.pace))
    const cpuMs = cpuMsOf(agent.pid) - before.cpuMs
    const tookMs = performance.now() - before.at
    await agent.stop()
    return {
      lines: [
        {
          what: 'agent: CPU, 10,000 pods, 50 changes/s',
          measured: (100 * cpuMs) / tookMs,
          unit: '%',
          bar: { kind: 'atMost', limit: CPU_PERCENT_MAX, said: '≤ 5 %' },
        },
      ],
      details: { changes, cpuMs, tookMs },
    }
  },
}

/** Every pod in turn asks for something else: the dearest kind of change, for nothing is equal. */
async function change({ server }: MeasuredAgent, forMs: number): Promise<number> {
  const startedAt = performance.now()
  let changes = 0
  while (performance.now() - startedAt < forMs) {
    server.tell('pods', 'MODIFIED', aCrowdedPod(changes % PODS, NODES, 1 + (changes % 4)))
    changes += 1
    await sleep(Math.max(0, startedAt + (changes * 1_000) / CHANGES_PER_S - performance.now()))
  }
  return changes
}

const lengthMs = ({ isQuick }: Pace) => (isQuick ? 3_000 : 20_000)
