import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually, repositoryRoot } from '@bourse/testkit'
import { type ControlPlane, startControlPlane } from '@bourse/testkit/control-plane'
import { type AgentProcess, startAgent } from '../journeys/agent/agent-process.ts'
import type { Benchmark, Stage } from './benchmark.ts'
import { BUNDLE, end, portOf, prepareMeasured } from './broker-process.ts'
import { rssMbOf } from './process-usage.ts'

const RSS_MB_MAX = 90
const SENT_PER_SECOND_MAX = 100
const START_MS_MAX = 1_000
/** Two signs of life and as many long polls. */
const IDLE_MS = 65_000
const IDLE_QUICK_MS = 5_000
const SETTLE_MS = 5_000

/** What an agent costs a cluster in which nothing happens. */
export const agentIdle: Benchmark = {
  name: 'agent-idle',
  bar: '≤ 90 MB on an empty cluster, ≤ 100 B/s to the broker, first advertisement within 1 s',

  async run(stage) {
    const broker = await prepareMeasured(stage, { dataDir: join(stage.workDir, 'agent-idle') })
    broker.launch()
    await broker.ready()
    const cluster = await startControlPlane()
    const crds = join(repositoryRoot, 'config/crd/bases')
    await cluster.kubectl(['apply', '--server-side', `--filename=${crds}`])
    const wire = await countingWire(portOf(broker))
    const begin = () => startMeasured(stage, cluster, wire.port)

    // The first start compiles; what restarts in a cluster is the second.
    await (await begin()).agent.stop()
    const { agent, startMs } = await begin()
    await sleep(SETTLE_MS)
    const before = wire.sent()
    const idleMs = stage.pace.isQuick ? IDLE_QUICK_MS : IDLE_MS
    await sleep(idleMs)
    const sentPerSecond = ((wire.sent() - before) * 1_000) / idleMs
    const rssMb = rssMbOf(agent.child.pid)

    await agent.stop()
    wire.close()
    await cluster.stop()
    await end(broker)
    return { lines: linesOf({ startMs, rssMb, sentPerSecond }) }
  },
}

function linesOf(figures: { startMs: number; rssMb: number; sentPerSecond: number }) {
  const { startMs, rssMb, sentPerSecond } = figures
  return [
    {
      what: 'agent: start to first advertisement, warm',
      measured: startMs,
      unit: 'ms',
      bar: { kind: 'atMost', limit: START_MS_MAX, said: '≤ 1 s', needsIdleMachine: true },
    },
    {
      what: 'agent: RSS, empty cluster',
      measured: rssMb,
      unit: 'MB',
      bar: { kind: 'atMost', limit: RSS_MB_MAX, said: '≤ 90 MB' },
    },
    {
      what: 'agent: sent to the broker, idle',
      measured: sentPerSecond,
      unit: 'B/s',
      bar: { kind: 'atMost', limit: SENT_PER_SECOND_MAX, said: '≤ 100 B/s' },
    },
  ] as const
}

async function startMeasured({ certificates }: Stage, cluster: ControlPlane, port: number) {
  const certPath = await certificates.authority.forCluster('rome')
  const startedAt = performance.now()
  const agent = await startAgent({
    brokerUrl: `https://127.0.0.1:${port}`,
    certPath,
    kubeconfig: cluster.adminKubeconfig,
    env: { BOURSE_MAIN: BUNDLE },
  })
  await eventually('the agent has published', () => hasPublished(agent), 60_000)
  return { agent, startMs: performance.now() - startedAt }
}

const hasPublished = async (agent: AgentProcess) => (await agent.readiness()).isReady

/** Passes everything on and counts what the agent sent, encryption included. */
async function countingWire(brokerPort: number) {
  let sent = 0
  const server = createServer((agent) => {
    const broker = connect(brokerPort, '127.0.0.1')
    agent.on('data', ({ length }) => {
      sent += length
    })
    agent.pipe(broker).pipe(agent)
    for (const side of [agent, broker]) side.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return { port, sent: () => sent, close: () => server.close() }
}
