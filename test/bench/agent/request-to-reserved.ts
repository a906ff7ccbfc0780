import { join } from 'node:path'
import { type ResourceRequestStatus, resourceRequestKind } from '@bourse/contract/kinds'
import { createKubeClient, type KubeClient, type KubeObject, loadConnection } from '@bourse/kube'
import { eventually } from '@bourse/testkit'
import { bourseKinds, type ControlPlane, startControlPlane } from '@bourse/testkit/control-plane'
import { startAgent } from '@bourse/testkit/federation'
import type { Benchmark, Stage } from '../harness/benchmark.ts'
import { BUNDLE, end, portOf, startMeasured } from '../harness/broker-process.ts'
import { summarize } from '../harness/statistics.ts'
import { startSightings } from '../kubernetes/sightings.ts'
import { joinAsProvider, type ToldProvider } from '../rest/told-provider.ts'

const RESERVED_MS_MAX = 40
const TOLD_MS_MAX = 50
const SAMPLES = 50
const SAMPLES_QUICK = 10
/** Until the engines of both have compiled what is hot. */
const WARM_UP = 20

/** How soon a ResourceRequest made with kubectl shows Reserved. */
export const requestToReserved: Benchmark = {
  name: 'request-to-reserved',
  bar: 'p50 ≤ 40 ms from a ResourceRequest to status Reserved; the provider told within 50 ms',

  async run(stage) {
    const dataDir = join(stage.workDir, 'request-to-reserved')
    const broker = await startMeasured(stage, { dataDir })
    const provider = await joinAsProvider(stage, portOf(broker))
    const cluster = await startControlPlane({ kinds: bourseKinds, dataDir: join(dataDir, 'etcd') })
    const agent = await startRequester(stage, cluster, broker.url)
    const samples = stage.pace.isQuick ? SAMPLES_QUICK : SAMPLES
    const measured = await requestOften(cluster, provider, samples)
    await agent.stop()
    provider.leave()
    await cluster.stop()
    await end(broker)
    return { lines: linesOf(measured), details: measured }
  },
}

async function startRequester({ certificates }: Stage, cluster: ControlPlane, brokerUrl: string) {
  const agent = await startAgent({
    brokerUrl,
    certPath: await certificates.authority.forCluster('rome'),
    kubeconfig: cluster.adminKubeconfig,
    env: { BOURSE_MAIN: BUNDLE },
  })
  const isReady = async () => (await agent.readiness()).isReady
  await eventually('the agent has published', isReady, 60_000)
  return agent
}

/** One after the other, as one user asks; each is there until the end. */
async function requestOften(
  { adminKubeconfig }: ControlPlane,
  provider: ToldProvider,
  samples: number,
) {
  const client = createKubeClient(await loadConnection({ kubeconfig: adminKubeconfig }))
  const sightings = await startSightings(client, resourceRequestKind, isReserved)
  const reservedMs: number[] = []
  const toldMs: number[] = []
  for (let sample = 0; sample < WARM_UP + samples; sample++) {
    const told = provider.nextToldMs()
    const reserved = await sightings.timeOf(`job-${sample}`, (name) => makeRequest(client, name))
    const toldAfter = await told
    if (sample < WARM_UP) continue
    reservedMs.push(reserved)
    toldMs.push(toldAfter)
  }
  await sightings.stop()
  await client.close()
  return { reserved: summarize(reservedMs), told: summarize(toldMs) }
}

type WithStatus = Readonly<{ status?: ResourceRequestStatus }>

// The kind is made by us alone, and its schema has the phase.
const isReserved = (object: object) => (object as WithStatus).status?.phase === 'Reserved'

function makeRequest(client: KubeClient, name: string) {
  return client.create<KubeObject>(resourceRequestKind, {
    apiVersion: 'liqo.io/v1alpha1',
    kind: 'ResourceRequest',
    metadata: { name, namespace: 'default' },
    spec: { cpu: '10m', memory: '16Mi', duration: '1h' },
  })
}

function linesOf({ reserved, told }: Awaited<ReturnType<typeof requestOften>>) {
  const what = 'ResourceRequest made to status Reserved seen'
  return [
    {
      what: `${what}, p50`,
      measured: reserved.p50,
      unit: 'ms',
      bar: { kind: 'atMost', limit: RESERVED_MS_MAX, said: '≤ 40 ms', needsIdleMachine: true },
    },
    { what: `${what}, p99`, measured: reserved.p99, unit: 'ms' },
    {
      what: 'its provider told, after the broker’s decision, p99',
      measured: told.p99,
      unit: 'ms',
      bar: { kind: 'atMost', limit: TOLD_MS_MAX, said: '≤ 50 ms', needsIdleMachine: true },
    },
  ] as const
}
