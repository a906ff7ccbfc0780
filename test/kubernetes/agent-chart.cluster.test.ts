import { join } from 'node:path'
import { agentFlags } from '@bourse/agent/config'
import { eventually, repositoryRoot } from '@bourse/testkit'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { beforeAll, describe, expect, it } from 'vitest'
import { aChart, helm, letIn, letOut, openPolicies, policiesIn } from './chart.ts'

const { path: chart, template, manifests } = aChart('bourse-agent')
const BY_OBJECTS = [
  ...['broker.transport=kubernetes', 'broker.kubeconfigSecret=at-the-broker', 'peering=none'],
]
const BROKER = '--set=broker.url=https://broker.example:8443'

describe("the agent's chart", () => {
  it('passes helm lint', async () => {
    expect(await helm('lint', '--strict', chart, BROKER)).toContain('0 chart(s) failed')
  })

  it.each([
    { values: [], sentence: 'broker.url is missing' },
    { values: ['broker.url=http://broker'], sentence: 'broker.url' },
    {
      values: ['broker.url=https://broker:8443', 'broker.transport=mqtt'],
      sentence: 'broker.transport and broker.url do not match',
    },
    {
      values: ['broker.transport=kubernetes', 'peering=none'],
      sentence: 'broker.transport and broker.kubeconfigSecret do not match',
    },
    { values: BY_OBJECTS.slice(0, 2), sentence: 'peering=native needs broker.transport=http' },
    {
      values: [...BY_OBJECTS, 'broker.url=https://broker:8443'],
      sentence: 'broker.url has no effect with broker.transport=kubernetes',
    },
    {
      values: [...BY_OBJECTS, 'config.metrics-secure=true'],
      sentence: 'config.metrics-secure serves the certificate',
    },
    { values: ['clusterID=Rome!'], sentence: 'clusterID' },
    { values: ['config.cluster-id=rome'], sentence: 'config' },
    { values: ['config.shrae=50%'], sentence: 'config' },
    { values: ['peering=kubeconfigs'], sentence: 'peering' },
    { values: ['config.kubeconfigs-dir=/peers'], sentence: 'config' },
    {
      values: ['broker.url=https://broker:8443', 'peering=liqoctl'],
      sentence: 'peering and liqoctl.kubeconfigsSecret do not match',
    },
    {
      values: ['broker.url=https://broker:8443', 'liqoctl.kubeconfigsSecret=peers'],
      sentence: 'peering and liqoctl.kubeconfigsSecret do not match',
    },
    {
      values: [
        ...['broker.url=https://broker:8443', 'networking.address=gateway.rome.example'],
        ...['peering=liqoctl', 'liqoctl.kubeconfigsSecret=peers'],
      ],
      sentence: 'networking.address has no effect with peering=liqoctl',
    },
    { values: ['networking.kind=geneve'], sentence: 'networking' },
    { values: ['config.peering-networking=wireguard'], sentence: 'config' },
    { values: ['replica=3'], sentence: 'replica' },
    { values: ['networkPolicy.probesFrom[0].port=8081'], sentence: 'networkPolicy.probesFrom' },
  ])('refuses $values', async ({ values, sentence }) => {
    await expect(template(...values.map((one) => `--set=${one}`))).rejects.toThrow(sentence)
  })

  it('gives the agent only flags that it knows', async () => {
    const known: readonly string[] = Object.values(agentFlags).map(({ name }) => name)

    const tunnel = ['networking.kind=wireguard', 'networking.address=gateway.rome.example']
    const some = ['clusterID=rome', 'costConfigMap=prices', 'placeholders.enabled=true', ...tunnel]
    const rendered = await template(BROKER, ...some.map((one) => `--set=${one}`))

    const given = [...rendered.matchAll(/^ +- --([a-z-]+)/gm)].map(([, name = '']) => name)
    expect(given).toContain('cost-configmap')
    expect(given).toContain('gateway-address')
    expect(given.filter((name) => !known.includes(name))).toEqual([])
  })

  it('speaks with the broker by objects in its cluster, with a kubeconfig and no certificate', async () => {
    const values = [...BY_OBJECTS, 'broker.namespace=clusters', 'clusterID=rome']
    const rendered = await manifests(...values.map((one) => `--set=${one}`))

    const deployment = JSON.stringify(rendered.find(({ kind }) => kind === 'Deployment'))
    expect(deployment).toContain('--broker-transport=kubernetes')
    expect(deployment).toContain('--broker-kubeconfig=/etc/bourse/broker/kubeconfig')
    expect(deployment).toContain('--broker-namespace=clusters')
    expect(deployment).toContain('"secretName":"at-the-broker"')
    expect(deployment).not.toMatch(/--broker-(url|cert-path)|bourse-agent-certificates/)
  })

  it('lets the agent touch networks only where there are to be tunnels', async () => {
    const rights = async (...values: string[]) =>
      JSON.stringify(
        (await manifests(BROKER, ...values)).filter(({ kind }) => kind === 'ClusterRole'),
      )

    expect(await rights()).not.toContain('networking.liqo.io')
    expect(await rights('--set=networking.kind=wireguard')).toContain('networking.liqo.io')
  })

  it('gives liqoctl the kubeconfigs of providers, and no rights of native peering', async () => {
    const values = ['peering=liqoctl', 'liqoctl.kubeconfigsSecret=peers']
    const rendered = await manifests(BROKER, ...values.map((one) => `--set=${one}`))

    const deployment = JSON.stringify(rendered.find(({ kind }) => kind === 'Deployment'))
    expect(deployment).toContain('--kubeconfigs-dir=/etc/bourse/kubeconfigs')
    expect(deployment).toContain('"secretName":"peers"')
    const roles = rendered.filter(({ kind }) => kind === 'ClusterRole')
    expect(roles.map(({ metadata }) => metadata.name).sort()).toEqual([
      'bourse-agent',
      'bourse-agent-endpoint',
      'bourse-agent-liqoctl',
      'bourse-agent-requester',
      'bourse-agent-viewer',
    ])
  })

  it('lets the agent go to its broker alone where the values say where that is', async () => {
    const brokerTo = '--set-json=networkPolicy.brokerTo=[{"ipBlock":{"cidr":"203.0.113.7/32"}}]'

    expect(letOut(await manifests(BROKER))).toMatchObject({ 8443: 'all' })
    expect(letOut(await manifests(BROKER, brokerTo))).toMatchObject({
      ...{ 53: 'all', 6443: 'all' },
      ...{ 8443: [{ ipBlock: { cidr: '203.0.113.7/32' } }] },
    })
  })

  it('holds placeholders to an image by its digest', async () => {
    const image = `registry.k8s.io/pause:3.10@sha256:${'0'.repeat(64)}`
    const values = ['placeholders.enabled=true', `placeholders.image=${image}`]

    const rendered = await manifests(BROKER, ...values.map((one) => `--set=${one}`))

    const deployment = rendered.find(({ kind }) => kind === 'Deployment')
    expect(JSON.stringify(deployment)).toContain(image)
    const policy = policiesIn(rendered).find(({ metadata }) => /placeholders$/.test(metadata.name))
    expect(JSON.stringify(policy)).toContain(image)
  })

  it('lets Prometheus in, and no other client', async () => {
    const monitoring = { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } }
    const nodes = '--set-json=networkPolicy.probesFrom=[{"ipBlock":{"cidr":"10.0.0.0/16"}}]'

    const metrics = [{ namespaceSelector: monitoring }]
    expect(letIn(await manifests(BROKER))).toEqual({ metrics })
    expect(letIn(await manifests(BROKER, nodes))).toEqual({
      ...{ metrics, health: [{ ipBlock: { cidr: '10.0.0.0/16' } }] },
    })
    expect(letIn(await manifests(BROKER, '--set-json=networkPolicy.metricsFrom=[]'))).toEqual({})
  })

  it.each([
    ['native', []],
    ['none', []],
    ['liqoctl', ['liqoctl.kubeconfigsSecret=peers']],
  ])(
    'bounds the rights of the agent, also without admission.enabled, and fails closed: %s',
    async (peering, more) => {
      const values = [`peering=${peering}`, ...more, 'placeholders.enabled=true']
      const set = values.map((one) => `--set=${one}`)

      for (const isOn of [true, false]) {
        const all = await manifests(BROKER, ...set, `--set=admission.enabled=${isOn}`)
        const names = policiesIn(all).map(({ metadata }) => metadata.name)
        for (const what of ['secrets', 'own', 'nodes', 'liqo', 'placeholders'])
          expect(names).toContain(`bourse-agent-${what}`)
        expect(openPolicies(all)).toEqual([])
      }
    },
  )

  it('bounds what is certified for slices unless other keys are let in', async () => {
    const rule = 'size(variables.csr) <='

    expect(await template(BROKER)).toContain(rule)
    expect(await template(BROKER, '--set=slices.otherKeys=true')).not.toContain(rule)
  })

  it('has a PodMonitor where Prometheus can read one', async () => {
    const withIt = await manifests(BROKER, '--api-versions=monitoring.coreos.com/v1')

    expect(withIt.map(({ kind }) => kind)).toContain('PodMonitor')
  })

  it('lets Prometheus ask over TLS where metrics are served so', async () => {
    const prometheus = '--api-versions=monitoring.coreos.com/v1'

    const rendered = await manifests(BROKER, prometheus, '--set=config.metrics-secure=true')

    const monitor = rendered.find(({ kind }) => kind === 'PodMonitor')
    expect(monitor?.spec).toMatchObject({ podMetricsEndpoints: [{ scheme: 'https' }] })
  })
})

describe('on a real API server', () => {
  const controlPlane = useControlPlane()

  beforeAll(async () => {
    const namespace = join(repositoryRoot, 'config/default/namespace.yaml')
    await controlPlane().kubectl(['apply', `--filename=${namespace}`])
  })

  it('is applied, with its kinds', async () => {
    const items = await manifests(BROKER, '--set=costConfigMap=prices')

    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
    const applied = await controlPlane().kubectl(['apply', '--server-side', '--filename=-'], list)

    expect(applied).toContain('deployment.apps/bourse-agent serverside-applied')
    expect(applied).toContain('resourcerequests.liqo.io serverside-applied')
  })

  it('lets the agent follow its price list, and no other ConfigMap beside it', async () => {
    const agent = ['--as=system:serviceaccount:bourse-system:bourse-agent', '-n=bourse-system']
    const may = (what: string) =>
      controlPlane()
        .kubectl(['auth', 'can-i', 'watch', what, ...agent])
        .then(
          () => true,
          () => false,
        )

    // The server's own view of the bindings follows a moment later.
    await eventually('it may watch its price list', () => may('configmaps/prices'))

    expect([await may('configmaps/prices'), await may('configmaps/other')]).toEqual([true, false])
  })

  it('keeps to the restricted pod security standard', async () => {
    const [deployment] = (await manifests(BROKER)).filter(({ kind }) => kind === 'Deployment')
    const metadata = { name: 'agent', namespace: 'bourse-system' }
    const { spec } = deployment?.spec?.template ?? {}
    const manifest = JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata, spec })

    const create = ['create', '--dry-run=server', '--filename=-']
    const created = await controlPlane().kubectl(create, manifest)

    expect(created).toContain('pod/agent created')
  })
})
