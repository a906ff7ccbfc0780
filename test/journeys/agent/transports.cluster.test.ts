// Budget: 60 seconds.
import { join } from 'node:path'
import {
  eventually,
  quietPorts,
  repositoryRoot,
  startBroker,
  type TestBroker,
} from '@bourse/testkit'
import { makeTestCertificates, type TestCertificates } from '@bourse/testkit/certificates'
import {
  aNode,
  bourseKinds,
  grantAgentRights,
  grantClusterRights,
} from '@bourse/testkit/control-plane'
import { type AgentProcess, startAgent } from '@bourse/testkit/federation'
import { startMosquitto, type TestMosquitto } from '@bourse/testkit/mosquitto'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'

// The broker's cluster and the agent's are the same here: what differs is who asks for what.
const plane = useControlPlane({ withKwok: true, kinds: bourseKinds })
let certificates: TestCertificates
let server: TestMosquitto
let broker: TestBroker
let grpcPort = 0
let kubeconfig = ''
let agent: AgentProcess | undefined

beforeAll(async () => {
  const { kubectl, kubeconfigFor } = plane()
  const config = (path: string) => join(repositoryRoot, 'config', path)
  await kubectl(['apply', '--server-side', `--kustomize=${config('default')}`])
  kubeconfig = await grantAgentRights(plane())
  const user = '--user=the-broker'
  await kubectl(['create', 'clusterrolebinding', 'test', '--clusterrole=bourse-broker', user])
  await grantClusterRights(plane(), 'rome-kubernetes')
  await kubectl(['apply', '--filename=-'], JSON.stringify(aNode('node-1')))

  certificates = await makeTestCertificates()
  server = await startMosquitto(await certificates.forServer('mqtt-server'))
  const own = await certificates.forLeaf('mqtt', { commonName: 'broker', usages: ['client'] })
  ;[grpcPort = 0] = await quietPorts(1)
  broker = await startBroker({
    certificates,
    flags: [
      '--broker-interface=http,kubernetes,grpc,mqtt',
      '--store=sqlite',
      `--kubeconfig=${await kubeconfigFor({ user: 'the-broker' })}`,
      `--grpc-port=${grpcPort}`,
      `--mqtt-url=${server.url}`,
      `--mqtt-cert-path=${own}`,
    ],
  })
})
afterEach(async () => {
  await agent?.stop()
  agent = undefined
})
afterAll(async () => {
  await broker?.dispose()
  await server?.stop()
  certificates?.dispose()
})

it.each(['http', 'grpc', 'mqtt', 'kubernetes'] as const)(
  'an agent by %s publishes, reserves, and gives back',
  async (transport) => {
    const { kubectl } = plane()
    const clusterId = `rome-${transport}`
    const paris = await broker.aClient(`paris-${transport}`)
    const capacity = { cpu: '64', memory: '256Gi' }
    await paris.publishAdvertisement({ clusterID: `paris-${transport}`, resources: { capacity } })

    agent = await startAgentBy(transport, clusterId)
    const operator = await broker.anOperator()
    await eventually(
      'The broker knows it',
      async () =>
        (await operator.listClusters()).items.some(({ clusterID }) => clusterID === clusterId),
      60_000,
    )
    const name = `by-${transport}`
    const spec = { cpu: '500m', memory: '256Mi' }
    const request = { apiVersion: 'liqo.io/v1alpha1', kind: 'ResourceRequest', spec }
    await kubectl(['apply', '--filename=-'], JSON.stringify({ ...request, metadata: { name } }))
    const phase = ['get', 'resourcerequest', name, '--output=jsonpath={.status.phase}']
    await eventually('It is reserved', async () => (await kubectl(phase)) === 'Reserved', 60_000)
    await kubectl(['delete', 'resourcerequest', name, '--timeout=60s'])

    const { items } = await operator.listReservations({ phases: ['Reserved', 'Active'] })
    expect(items.filter(({ requesterID }) => requesterID === clusterId)).toEqual([])
  },
)

async function startAgentBy(transport: string, clusterId: string): Promise<AgentProcess> {
  const { kubeconfigFor } = plane()
  const flags = [`--broker-transport=${transport}`, `--cluster-id=${clusterId}`]
  const brokerUrl =
    transport === 'mqtt'
      ? server.url
      : transport === 'grpc'
        ? `https://127.0.0.1:${grpcPort}`
        : broker.url
  const identity = { user: clusterId, groups: ['bourse:clusters'] }
  return startAgent({
    brokerUrl,
    certPath: await certificates.forCluster(clusterId),
    kubeconfig,
    flags:
      transport === 'kubernetes'
        ? [...flags, `--broker-kubeconfig=${await kubeconfigFor(identity)}`]
        : flags,
  })
}
