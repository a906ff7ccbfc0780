// Budget: 60 seconds.
import { join } from 'node:path'
import { type Child, eventually, quietPorts, repositoryRoot } from '@bourse/testkit'
import type { ControlPlane } from '@bourse/testkit/control-plane'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { helm } from './chart.ts'
import { buildImage, type Image } from './image.ts'

const NAME = 'bourse-broker'
const POD = 'broker'
const NAMESPACE = 'bourse-system'
const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount'
const ROLE = 'broker.fluidos.eu/role'
const TIMEOUT_MS = 60_000

type Deployment = { spec: { template: { metadata: object; spec: PodSpec } } }
type PodSpec = { containers: readonly { args: string[] }[] }
type ConfigMap = { data: Readonly<Record<string, string>> }

let image: Image
beforeAll(async () => {
  image = await buildImage()
})
afterAll(() => image?.dispose())

it('says which version it is, and what it needs', async () => {
  const version = image.start({ args: ['version'] })
  const agent = image.start({ args: ['agent'] })

  await Promise.all([version.exited, agent.exited])

  expect(version.output()).toMatch(/^bourse \d+\.\d+\.\d+ \(node 24\.\S+\)\n$/)
  expect(agent.output()).toContain('--broker-url is missing')
})

describe('helm install, with a pod in place of a kubelet', () => {
  const plane = useControlPlane()

  it('decides what kubectl asks for, under the rights and limits that the chart gives', async () => {
    const { kubectl } = plane()
    const { notes, pod, healthUrl, uninstall } = await install(plane())
    await eventually('It is ready', () => isReady(pod, healthUrl), TIMEOUT_MS)

    await kubectl(['apply', sample('clusteradvertisement'), sample('reservation')])
    await kubectl(['wait', '--for=condition=Ready', 'rsv/my-workload', WAIT])
    const shown = await kubectl(['get', 'reservations,clusteradvertisements'])
    const role = await kubectl(['get', 'pod', POD, '-n', NAMESPACE, '-L', ROLE, '--no-headers'])
    pod.kill('SIGTERM')
    const exit = await pod.exited
    await uninstall()

    expect(notes).toContain('get pods -o name -l broker.fluidos.eu/role=leader)" 8090\n')
    expect(shown).toMatch(/my-workload +user-team +2 +4Gi +fd32c7d2-[-0-9a-f]+ +Reserved/)
    expect(role).toMatch(/ leader\n$/)
    expect(exit).toEqual({ code: 0, signal: null })
    // The ledger is in the CRDs, and stays with them.
    expect(await kubectl(['get', 'journalslots', '-n', NAMESPACE, '-o=name'])).toContain(
      'slot-0001',
    )
  })
})

const WAIT = '--timeout=60s'

const sample = (kind: string) =>
  `--filename=${join(repositoryRoot, `config/samples/broker_v1alpha1_${kind}.yaml`)}`

/** And then what a kubelet would do: the API server here has no nodes. */
async function install(plane: ControlPlane) {
  const { kubectl, adminKubeconfig } = plane
  const where = [`--namespace=${NAMESPACE}`, `--kubeconfig=${adminKubeconfig}`]
  // Without REST: its certificates are in helm-install.cluster.test.ts.
  const ours = ['--set=image.repository=registry.example.org/bourse', '--set=http.enabled=false']
  const chart = 'charts/bourse-broker'
  const notes = await helm('install', NAME, chart, ...ours, '--create-namespace', ...where)
  await kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s'])
  const deployment = await read<Deployment>('deployment')
  const config = await read<ConfigMap>('configmap')
  const { metadata, spec } = deployment.spec.template
  const named = { ...metadata, name: POD, namespace: NAMESPACE }
  const manifest = { apiVersion: 'v1', kind: 'Pod', metadata: named, spec }
  await kubectl(['create', '--filename=-'], JSON.stringify(manifest))
  // As a kubelet asks for it: bound to the pod, whose name the policy of the broker looks at.
  const bound = ['--bound-object-kind=Pod', `--bound-object-name=${POD}`]
  const token = await kubectl(['create', 'token', NAME, '-n', NAMESPACE, ...bound])
  const [health = 0, metrics = 0] = await quietPorts(2)
  const pod = image.start({
    args: spec.containers[0]?.args ?? [],
    env: envOf(plane, health, metrics),
    files: {
      '/etc/bourse/broker.yaml': config.data['broker.yaml'] ?? '',
      [`${ACCOUNT}/token`]: token.trim(),
      [`${ACCOUNT}/ca.crt`]: plane.caCertificate,
      [`${ACCOUNT}/namespace`]: NAMESPACE,
    },
    emptyDir: '/var/lib/bourse',
  })
  onTestFinished(() => {
    if (!pod.exit()) pod.kill('SIGKILL')
  })
  const uninstall = () => helm('uninstall', NAME, ...where)
  return { notes, pod, healthUrl: `http://127.0.0.1:${health}/readyz`, uninstall }

  async function read<T>(kind: string): Promise<T> {
    return JSON.parse(await kubectl(['get', kind, NAME, '-n', NAMESPACE, '-o=json'])) as T
  }
}

function envOf({ url }: ControlPlane, health: number, metrics: number) {
  const { hostname, port } = new URL(url)
  return {
    ...{ POD_NAME: POD, POD_NAMESPACE: NAMESPACE },
    ...{ KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port },
    // Other tests run beside this one, on the same ports.
    BOURSE_HEALTH_PROBE_BIND_ADDRESS: `127.0.0.1:${health}`,
    BOURSE_METRICS_BIND_ADDRESS: `127.0.0.1:${metrics}`,
    BOURSE_DASHBOARD_BIND_ADDRESS: '0',
  }
}

async function isReady(pod: Child, healthUrl: string): Promise<true | undefined> {
  if (pod.exit()) throw new Error(pod.output())
  const isThere = await fetch(healthUrl).then(
    ({ ok }) => ok,
    () => false,
  )
  return isThere || undefined
}
