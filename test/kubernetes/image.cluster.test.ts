// Budget: 60 seconds.
import { join } from 'node:path'
import { type Child, eventually, freePorts, repositoryRoot } from '@bourse/testkit'
import type { ControlPlane } from '@bourse/testkit/control-plane'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { aChart, type Manifest } from './chart.ts'
import { buildImage, type Image } from './image.ts'

const POD = 'broker'
const NAMESPACE = 'bourse-system'
const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount'
const ROLE = 'broker.fluidos.eu/role'
const PATIENCE_MS = 60_000

let image: Image
beforeAll(async () => {
  image = await buildImage()
}, 120_000)
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
    const { pod, healthUrl } = await install(plane())
    await eventually('It is ready', () => isReady(pod, healthUrl), PATIENCE_MS)

    const samples = ['clusteradvertisement', 'reservation'].map((kind) => sample(kind))
    await kubectl(['apply', ...samples])
    await kubectl(['wait', '--for=condition=Ready', 'rsv/my-workload', '--timeout=30s'])
    const shown = await kubectl(['get', 'reservations,clusteradvertisements'])
    const role = await kubectl(['get', 'pod', POD, '-n', NAMESPACE, '-L', ROLE, '--no-headers'])
    pod.kill('SIGTERM')
    const exit = await pod.exited

    expect(shown).toMatch(/my-workload +user-team +2 +4Gi +fd32c7d2-[-0-9a-f]+ +Reserved/)
    expect(role).toMatch(/ leader\n$/)
    expect(exit).toEqual({ code: 0, signal: null })
  })
})

const sample = (kind: string) =>
  `--filename=${join(repositoryRoot, `config/samples/broker_v1alpha1_${kind}.yaml`)}`

/** What `helm install` would do, and then a kubelet: the API server here has no nodes. */
async function install(plane: ControlPlane) {
  const { kubectl } = plane
  const all = await aChart('bourse-broker').manifests()
  await kubectl(['create', 'namespace', NAMESPACE])
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: all })
  await kubectl(['apply', '--server-side', '--filename=-'], list)
  await kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=30s'])
  const [health = 0, metrics = 0] = await freePorts(2)
  const manifest = podOf(all)
  await kubectl(['create', '--filename=-'], JSON.stringify(manifest))
  const token = await kubectl(['create', 'token', 'bourse-broker', '-n', NAMESPACE])
  const { hostname, port } = new URL(plane.url)
  const pod = image.start({
    args: manifest.spec.containers[0]?.args ?? [],
    env: {
      ...{ POD_NAME: POD, POD_NAMESPACE: NAMESPACE },
      ...{ KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port },
      // Other tests run beside this one, on the same ports.
      BOURSE_HEALTH_PROBE_BIND_ADDRESS: `127.0.0.1:${health}`,
      BOURSE_METRICS_BIND_ADDRESS: `127.0.0.1:${metrics}`,
      BOURSE_DASHBOARD_BIND_ADDRESS: '0',
    },
    files: {
      '/etc/bourse/broker.yaml': configOf(all)['broker.yaml'] ?? '',
      [`${ACCOUNT}/token`]: token.trim(),
      [`${ACCOUNT}/ca.crt`]: plane.caCertificate,
      [`${ACCOUNT}/namespace`]: NAMESPACE,
    },
    emptyDir: '/var/lib/bourse',
  })
  onTestFinished(() => {
    if (!pod.exit()) pod.kill('SIGKILL')
  })
  return { pod, healthUrl: `http://127.0.0.1:${health}/readyz` }
}

/** What the Deployment would make of it, for the API server to know; its name is our choice. */
function podOf(all: readonly Manifest[]) {
  const template = all.find(({ kind }) => kind === 'Deployment')?.spec?.template
  if (!template) throw new Error('The chart has no Deployment.')
  const metadata = { ...template.metadata, name: POD, namespace: NAMESPACE }
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: template.spec }
}

function configOf(all: readonly Manifest[]): Readonly<Record<string, string>> {
  return all.find(({ kind }) => kind === 'ConfigMap')?.data ?? {}
}

async function isReady(pod: Child, healthUrl: string): Promise<true | undefined> {
  if (pod.exit()) throw new Error(pod.output())
  const isThere = await fetch(healthUrl).then(
    ({ ok }) => ok,
    () => false,
  )
  return isThere || undefined
}
