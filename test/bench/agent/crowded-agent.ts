import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Child,
  quietPorts,
  repositoryRoot,
  startChild,
  type TestBroker,
} from '@bourse/testkit'
import {
  type Items,
  type MakeshiftApiServer,
  startMakeshiftApiServer,
} from '@bourse/testkit/makeshift-api-server'
import type { Stage } from '../harness/benchmark.ts'
import { BUNDLE, end, profiling, startMeasured } from '../harness/broker-process.ts'

type Lists = Readonly<{ nodes: Items; pods: Items }>

/** The real agent with its defaults, on a cluster of any size, advertising to a real broker. */
export type MeasuredAgent = Readonly<{
  pid: number
  server: MakeshiftApiServer
  /** From its start until the broker had accepted its first advertisement. */
  startMs: number
  /** What it advertised then. */
  advertised: Readonly<{ cpu: string; pods: string }>
  stop(): Promise<void>
}>

const LOOK_EVERY_MS = 20
const GIVE_UP_MS = 300_000
const API_SERVER = 'api-server'

export async function startAgent(stage: Stage, id: string, lists: Lists): Promise<MeasuredAgent> {
  const { authority } = stage.certificates
  const leaf = { commonName: API_SERVER, usages: ['server', 'client'], ip: ['127.0.0.1'] } as const
  const server = await startMakeshiftApiServer(await authority.forLeaf(API_SERVER, leaf), lists)
  const broker = await startMeasured(stage, { dataDir: join(stage.workDir, id) })
  const startedAt = performance.now()
  const { child, healthUrl } = await launch(stage, id, { broker, server })
  await isReady(child, healthUrl)
  const startMs = performance.now() - startedAt
  return {
    pid: child.pid,
    server,
    startMs,
    advertised: await advertisedBy(broker, id),
    async stop() {
      // A profile is written when the process ends by itself.
      child.kill(process.env.BENCH_PROFILE ? 'SIGTERM' : 'SIGKILL')
      await child.exited
      server.close()
      await end(broker)
    },
  }
}

type Far = Readonly<{ broker: TestBroker; server: MakeshiftApiServer }>

async function launch({ certificates, workDir }: Stage, id: string, { broker, server }: Far) {
  const kubeconfig = join(workDir, `${id}.kubeconfig.json`)
  writeFileSync(kubeconfig, kubeconfigOf(server.credentials))
  const [port = 0] = await quietPorts(1)
  const command = [
    join(repositoryRoot, 'bin', 'agent'),
    `--cluster-id=${id}`,
    `--broker-url=${broker.url}`,
    `--broker-cert-path=${await certificates.authority.forCluster(id)}`,
    `--kubeconfig=${kubeconfig}`,
    `--health-probe-bind-address=127.0.0.1:${port}`,
    '--metrics-bind-address=0',
  ]
  const child = startChild(command, { env: { BOURSE_MAIN: BUNDLE, ...profiling() } })
  return { child, healthUrl: `http://127.0.0.1:${port}/readyz` }
}

async function isReady(child: Child, url: string): Promise<void> {
  for (const giveUpAt = performance.now() + GIVE_UP_MS; ; await sleep(LOOK_EVERY_MS)) {
    const isUp = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isUp) return
    if (child.exit() || performance.now() > giveUpAt)
      throw new Error(`The agent never got ready:\n${child.output().slice(-2_000)}`)
  }
}

async function advertisedBy(broker: TestBroker, id: string) {
  const caller = await broker.aRawCaller(id)
  const { json } = await caller.get(`/api/v1/advertisements/${id}`)
  return json.resources.allocated
}

/** JSON: an agent in a pod has no kubeconfig, and so nothing that reads YAML. */
function kubeconfigOf({ server, ca, cert, key }: MakeshiftApiServer['credentials']): string {
  const base64 = (pem: string) => Buffer.from(pem).toString('base64')
  const user = { 'client-certificate-data': base64(cert), 'client-key-data': base64(key) }
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'bench',
    contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench' } }],
    clusters: [{ name: 'bench', cluster: { server, 'certificate-authority-data': base64(ca) } }],
    users: [{ name: 'bench', user }],
  })
}
