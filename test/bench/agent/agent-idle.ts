import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '@bourse/testkit'
import {
  aNode,
  bourseKinds,
  type ControlPlane,
  startControlPlane,
} from '@bourse/testkit/control-plane'
import { type AgentProcess, startAgent } from '@bourse/testkit/federation'
import { rssMbOf } from '@bourse/testkit/process-usage'
import type { Benchmark, Stage } from '../harness/benchmark.ts'
import { BUNDLE, end, portOf, startMeasured } from '../harness/broker-process.ts'

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
    const broker = await startMeasured(stage, { dataDir: join(stage.workDir, 'agent-idle') })
    const cluster = await startControlPlane({ kinds: bourseKinds })
    const wire = await countingWire(portOf(broker))
    const begin = (flags: readonly string[]) => startIdleAgent(stage, cluster, wire.port, flags)
    const idle = (flags: readonly string[]) => rest(stage, wire, () => begin(flags))

    // The first start compiles; what restarts in a cluster is the second.
    await (await begin([])).agent.stop()
    const empty = await idle([])
    await cluster.kubectl(['create', '--filename=-'], JSON.stringify(USUAL_NODES))
    const usual = await idle(DESCRIBED)

    wire.close()
    await cluster.stop()
    await end(broker)
    return { lines: linesOf(empty, usual), details: { empty, usual } }
  },
}

/** A cluster as there are many, and all that its operator may say of it. */
const USUAL_NODES = {
  apiVersion: 'v1',
  kind: 'List',
  items: Array.from({ length: 12 }, (_, at) => {
    const hasGpus = at % 4 === 0
    const amounts = { cpu: '63770m', memory: '263856540Ki', 'ephemeral-storage': '987654321Ki' }
    const node = aNode(`node-${at}`, { ...amounts, ...(hasGpus && { 'nvidia.com/gpu': '8' }) })
    const labels = { ...node.metadata.labels, 'nvidia.com/gpu.product': 'NVIDIA-H100-80GB-HBM3' }
    const conditions = [{ type: 'Ready', status: 'True' }]
    return {
      ...node,
      metadata: { ...node.metadata, ...(hasGpus && { labels }) },
      status: { ...node.status, conditions },
    }
  }),
}
const DESCRIBED = [
  ...['--cpu-cost=0.0412', '--memory-cost=0.0052', '--gpu-cost=1.95'],
  ...['--location=Rome, IT', '--labels=region=eu-south,tier=gold,provider=example'],
  '--endpoint-url=https://rome.clusters.example.org:6443',
]

type Resting = Readonly<{ startMs: number; rssMb: number; sentPerSecond: number }>

/** Starts an agent, lets it be for a while, and says what that took. */
async function rest(
  { pace }: Stage,
  wire: { sent(): number },
  begin: () => ReturnType<typeof startIdleAgent>,
): Promise<Resting> {
  const { agent, startMs } = await begin()
  await sleep(SETTLE_MS)
  const before = wire.sent()
  const idleMs = pace.isQuick ? IDLE_QUICK_MS : IDLE_MS
  await sleep(idleMs)
  const sentPerSecond = ((wire.sent() - before) * 1_000) / idleMs
  const rssMb = rssMbOf(agent.child.pid)
  await agent.stop()
  return { startMs, rssMb, sentPerSecond }
}

function linesOf({ startMs, rssMb, sentPerSecond }: Resting, usual: Resting) {
  const sent = 'agent: sent to the broker, idle'
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
    { what: `${sent}, empty cluster`, measured: sentPerSecond, unit: 'B/s' },
    {
      what: `${sent}, 12 nodes with GPUs, prices and labels`,
      measured: usual.sentPerSecond,
      unit: 'B/s',
      bar: { kind: 'atMost', limit: SENT_PER_SECOND_MAX, said: '≤ 100 B/s' },
    },
  ] as const
}

async function startIdleAgent(
  { certificates }: Stage,
  cluster: ControlPlane,
  port: number,
  flags: readonly string[],
) {
  const certPath = await certificates.authority.forCluster('rome')
  const startedAt = performance.now()
  const agent = await startAgent({
    brokerUrl: `https://127.0.0.1:${port}`,
    certPath,
    kubeconfig: cluster.adminKubeconfig,
    flags,
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
