// Budget: 20 seconds.
import { createKubeClient, type KubeClient, loadConnection } from '@bourse/kube'
import { eventually } from '@bourse/testkit'
import { grantAgentRights } from '@bourse/testkit/control-plane'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createEndpoint } from './endpoint.ts'

const controlPlane = useControlPlane()
let agent: KubeClient

beforeAll(async () => {
  const kubeconfig = await grantAgentRights(controlPlane())
  agent = createKubeClient(await loadConnection({ kubeconfig }))
})
afterAll(() => agent?.close())

/** With the rights of the chart, as an agent in a pod looks for it. */
async function found() {
  const endpoint = createEndpoint({ client: agent, log: { warn() {} } })
  await endpoint.find()
  return endpoint
}

const apply = (manifest: object) =>
  controlPlane().kubectl(['apply', '--filename=-'], JSON.stringify(manifest))
const configMap = (namespace: string, name: string, data: object) =>
  apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data })

it('is not known where the API server names only itself', async () => {
  // It listens on the loopback address here, which no requester reaches.
  expect((await found()).conditions()).toMatchObject([
    { type: 'EndpointKnown', status: 'False', reason: 'NotFound' },
  ])
})

it('is read from what kubeadm leaves in a cluster, the published address first', async () => {
  const names = 'apiServer: {}\ncontrolPlaneEndpoint: paris.example:6443\n'
  await configMap('kube-system', 'kubeadm-config', { ClusterConfiguration: names })
  await eventually('the agent may read it', async () => (await found()).url())
  const told = await found()
  const server = 'https://api.paris.example:443'
  const kubeconfig = `apiVersion: v1\nclusters:\n- cluster:\n    server: ${server}\n  name: ""\n`
  await configMap('kube-public', 'cluster-info', { kubeconfig })

  const published = await found()

  expect(told.url()).toBe('https://paris.example:6443')
  expect(told.conditions()).toMatchObject([{ status: 'True', reason: 'KubeadmConfig' }])
  expect(published.url()).toBe(server)
  expect(published.conditions()).toMatchObject([{ status: 'True', reason: 'ClusterInfo' }])
})
