// Budget: 30 seconds.
import { createKubeClient, type KubeClient, loadConnection } from '@bourse/kube'
import { eventually } from '@bourse/testkit'
import { grantAgentRights } from '@bourse/testkit/control-plane'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const controlPlane = useControlPlane()
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
let agent: KubeClient

beforeAll(async () => {
  const kubeconfig = await grantAgentRights(controlPlane())
  agent = createKubeClient(await loadConnection({ kubeconfig }))
  await eventually('its rights are in force', () => may('list nodes'), 60_000)
})
afterAll(() => agent.close())

/** `get secrets liqo-nonce`, `create pods/eviction`, `watch tenants.authentication.liqo.io`. */
async function may(question: string, namespace = 'liqo-tenant-paris'): Promise<boolean> {
  const [verb, what = '', name] = question.split(' ')
  const [path = '', subresource] = what.split('/')
  const [resource, ...group] = path.split('.')
  const attributes = { verb, resource, group: group.join('.'), subresource, name, namespace }
  const body = {
    ...{ apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview' },
    spec: { resourceAttributes: attributes },
  }
  const { status } = await agent.raw<{ status: { allowed: boolean } }>('POST', REVIEWS, body)
  return status.allowed
}

describe("an agent that peers, with the chart's rights", () => {
  it.each([
    ...['watch secrets liqo-nonce', 'update secrets liqo-signed-nonce', 'create secrets'],
    ...['get secrets liqo-remote-certificate', 'get secrets authentication-keys'],
    ...['get configmaps liqo-clusterid-configmap', 'create namespaces', 'watch namespaces'],
    ...['create tenants.authentication.liqo.io', 'delete identities.authentication.liqo.io'],
    ...['patch resourceslices.authentication.liqo.io', 'watch virtualnodes.offloading.liqo.io'],
    ...['delete virtualnodes.offloading.liqo.io', 'patch foreignclusters.core.liqo.io'],
    ...['delete foreignclusters.core.liqo.io', 'delete namespacemaps.offloading.liqo.io'],
    ...['create namespaceoffloadings.offloading.liqo.io', 'get namespaces shop'],
    ...['update', 'delete', 'watch'].map(
      (verb) => `${verb} namespaceoffloadings.offloading.liqo.io`,
    ),
    ...['patch nodes', 'delete nodes', 'create pods/eviction', 'delete pods', 'list events'],
  ])('may %s', async (question) => {
    expect(await may(question)).toBe(true)
  })

  it.each([
    ...['get secrets', 'list secrets', 'watch secrets', 'get secrets somebodys-password'],
    ...['get secrets kubeconfig-controlplane-paris', 'list configmaps', 'delete namespaces'],
    ...['patch namespaces', 'update namespaceoffloadings.offloading.liqo.io/status'],
    ...[
      'create pods',
      'create pods/exec',
      'update nodes',
      'create rolebindings.rbac.authorization.k8s.io',
    ],
    ...['create certificatesigningrequests.certificates.k8s.io', 'impersonate users'],
  ])('may not %s', async (question) => {
    expect(await may(question)).toBe(false)
  })

  it('reads where its API server is reached, and nothing else there', async () => {
    expect(await may('get configmaps cluster-info', 'kube-public')).toBe(true)
    expect(await may('get configmaps kubeadm-config', 'kube-system')).toBe(true)
    expect(await may('get endpointslices.discovery.k8s.io kubernetes', 'default')).toBe(true)
    expect(await may('get configmaps', 'kube-system')).toBe(false)
    expect(await may('get configmaps cluster-info')).toBe(false)
  })

  it('pins keys where its own objects are, and nowhere else', async () => {
    expect(await may('patch configmaps bourse-peers', 'default')).toBe(true)
    expect(await may('patch configmaps bourse-peers', 'kube-system')).toBe(false)
  })
})

describe('an agent with its admission policies, too', () => {
  const asAgent = async (...what: string[]) => {
    const kubectl = await controlPlane().kubectlAs({
      user: 'system:serviceaccount:bourse-system:bourse-agent',
    })
    return kubectl(['delete', ...what, '--wait=false'])
  }
  const make = (kind: string, name: string, labels: Record<string, string> = {}) => {
    const apiVersion = kind === 'Lease' ? 'coordination.k8s.io/v1' : 'v1'
    const object = { apiVersion, kind, metadata: { name, labels } }
    return controlPlane().kubectl(['apply', '--filename=-'], JSON.stringify(object))
  }
  const tenant = { 'liqo.io/tenant-namespace': 'true' }

  beforeAll(async () => {
    await make('Namespace', 'shop')
    await make('Namespace', 'liqo-tenant-by-hand', tenant)
    await make('Namespace', 'liqo-tenant-paris', { ...tenant, 'bourse.dev/peer': 'paris' })
    for (const name of ['somebodys', 'res-rsv-1']) await make('Lease', name)
    await grantAgentRights(controlPlane(), 'agent-admission')
    await eventually(
      'they are in force',
      () =>
        asAgent('namespace', 'shop', '--dry-run=server').then(
          () => false,
          ({ message }: Error) => message.includes('bourse-agent-leftovers'),
        ),
      60_000,
    )
  })

  it.each([
    ['namespace', 'shop', 'is not one that the agent has made'],
    ['namespace', 'liqo-tenant-by-hand', 'is not one that the agent has made'],
    ['lease', 'somebodys', 'is not one of a borrowed node'],
  ])('may not delete %s %s', async (kind, name, because) => {
    await expect(asAgent(kind, name)).rejects.toThrow(`${kind} ${name} ${because}`)
  })

  it.each([
    ['namespace', 'liqo-tenant-paris'],
    ['lease', 'res-rsv-1'],
  ])('may delete %s %s, which it is the cause of', async (kind, name) => {
    expect(await asAgent(kind, name)).toContain('deleted')
  })
})
