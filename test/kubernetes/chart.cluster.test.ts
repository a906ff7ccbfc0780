import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { brokerFlags } from '@bourse/broker/config'
import { RESERVATION_FINALIZER } from '@bourse/contract/kinds'
import { repositoryRoot } from '@bourse/testkit'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { beforeAll, describe, expect, it } from 'vitest'
import { RESOURCE_REQUEST_FINALIZER } from '../../apps/agent/src/borrowing/resource-request.ts'
import {
  aChart,
  helm,
  helmPath,
  here,
  letIn,
  letOut,
  openPolicies,
  policiesIn,
  run,
} from './chart.ts'
import { aReservation, aResourceRequest } from './manifests.ts'

const { path: chart, template, manifests } = aChart('bourse-broker')
const examples = readdirSync(join(repositoryRoot, 'charts/examples'))
const rightsOn = (resource: string, all: Awaited<ReturnType<typeof manifests>>) =>
  all.flatMap(({ rules = [] }) => rules).filter(({ resources }) => resources.includes(resource))

describe('the chart', () => {
  it('passes helm lint', async () => {
    expect(await helm('lint', '--strict', chart)).toContain('0 chart(s) failed')
  })

  it('is what config/ was rendered from', async () => {
    await run('node', ['tools/render-config.ts', await helmPath(), '--check'], here)
  })

  it.each([
    {
      values: ['http.certificates.secretName=mine', 'http.certificates.names={a.example}'],
      sentence: "http.certificates.names is for certificates that the chart's Job makes",
    },
    { values: ['http.certificates.nmaes={a.example}'], sentence: 'http.certificates' },
    { values: ['http.certificates.names={a b}'], sentence: 'http.certificates.names' },
    {
      values: ['http.enabled=false', 'grpc.enabled=true'],
      sentence: 'grpc.enabled needs http.enabled',
    },
    { values: ['mqtt.url=mqtts://m:8883'], sentence: 'mqtt.url needs mqtt.certificatesSecret' },
    { values: ['store.kind=sqlite'], sentence: 'store.kind=sqlite is one broker with one volume' },
    { values: ['store.kind=postgres'], sentence: 'needs store.postgres.secretName' },
    { values: ['store.kind=files'], sentence: 'store.kind' },
    { values: ['replica=3'], sentence: 'replica' },
    { values: ['image.digest=sha256:short'], sentence: 'image.digest' },
    { values: ['config.store=sqlite'], sentence: 'config' },
    { values: ['config.stale-afer=5m'], sentence: 'config' },
    { values: ['http.service.port=70000'], sentence: 'http.service.port' },
    {
      values: ['ratesConfigMap=rates', 'config.rates=EUR=1.08'],
      sentence: 'give the rates once',
    },
    {
      values: ['clusters.enabled=true', 'admission.enabled=false'],
      sentence: 'clusters.enabled needs admission.enabled',
    },
    { values: ['networkPolicy.httpFrom[0].cidr=10.0.0.0/8'], sentence: 'networkPolicy.httpFrom' },
    {
      values: ['networkPolicy.httpFrom=null'],
      sentence: 'networkPolicy.httpFrom is empty',
    },
  ])('refuses $values', async ({ values, sentence }) => {
    await expect(template(...values.map((one) => `--set=${one}`))).rejects.toThrow(sentence)
  })

  it.each(examples)('gives the broker of %s only flags that it knows', async (example) => {
    const known: readonly string[] = Object.values(brokerFlags).map(({ name }) => name)

    const rendered = await manifests(`--values=charts/examples/${example}`)

    // Its Job has another verb, and so other flags.
    const broker = JSON.stringify(rendered.find(({ kind }) => kind === 'Deployment'))
    const given = [...broker.matchAll(/"--([a-z-]+)/g)].map(([, name = '']) => name)
    expect(given.length).toBeGreaterThan(4)
    expect(given.filter((name) => !known.includes(name))).toEqual([])
  })

  it('gives each cluster of the Kubernetes transport its own advertisement to read', async () => {
    const rendered = await manifests(
      '--set=clusters.enabled=true',
      '--set=clusters.ids={rome,oslo}',
    )

    const roles = rendered.filter(
      ({ kind, metadata }) => kind === 'Role' && metadata.name.startsWith('bourse-cluster-'),
    )
    expect(roles.map(({ rules }) => rules?.[0])).toMatchObject([
      { resourceNames: ['cluster-rome'], verbs: ['get', 'update', 'patch', 'delete'] },
      { resourceNames: ['cluster-oslo'], verbs: ['get', 'update', 'patch', 'delete'] },
    ])
  })

  it('has a ServiceMonitor where Prometheus can read one', async () => {
    const without = await manifests()
    const withIt = await manifests('--api-versions=monitoring.coreos.com/v1')

    expect(without.map(({ kind }) => kind)).not.toContain('ServiceMonitor')
    expect(withIt.map(({ kind }) => kind)).toContain('ServiceMonitor')
  })

  it('lets Prometheus ask over TLS where metrics are served so', async () => {
    const prometheus = '--api-versions=monitoring.coreos.com/v1'

    const rendered = await manifests(prometheus, '--set=config.metrics-secure=true')

    const monitor = rendered.find(({ kind }) => kind === 'ServiceMonitor')
    expect(monitor?.spec).toMatchObject({ endpoints: [{ port: 'metrics', scheme: 'https' }] })
  })

  const MONITORING = [
    { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } },
  ]

  it('lets only Prometheus in, where its door is kubectl alone', async () => {
    expect(letIn(await manifests('--set=http.enabled=false'))).toEqual({ metrics: MONITORING })
  })

  it('lets callers of REST and gRPC in from where the values say', async () => {
    const cidr = '203.0.113.0/24'
    const doors = '--values=charts/examples/every-door.yaml'
    const narrow = `--set-json=networkPolicy.httpFrom=[{"ipBlock":{"cidr":"${cidr}"}}]`
    const nodes = '--set-json=networkPolicy.probesFrom=[{"ipBlock":{"cidr":"10.0.0.0/16"}}]'

    const anywhere = ['0.0.0.0/0', '::/0'].map((one) => ({ ipBlock: { cidr: one } }))
    const usual = { https: anywhere, grpc: anywhere, metrics: MONITORING }
    expect(letIn(await manifests(doors))).toEqual(usual)
    const clusters = [{ ipBlock: { cidr } }]
    expect(letIn(await manifests(doors, narrow, nodes))).toEqual({
      ...{ https: clusters, grpc: clusters, metrics: MONITORING },
      health: [{ ipBlock: { cidr: '10.0.0.0/16' } }],
    })
  })

  it('lets the broker go to where the values say, anywhere by default', async () => {
    const at = (name: string, cidr: string) =>
      `--set-json=networkPolicy.${name}=[{"ipBlock":{"cidr":"${cidr}"}}]`
    const large = '--values=charts/examples/large.yaml'
    const places = [at('dnsTo', '10.0.0.10/32'), at('apiServerTo', '10.0.0.1/32')]

    const usual = letOut(await manifests(large))
    const narrow = letOut(await manifests(large, ...places, at('postgresTo', '10.1.0.7/32')))

    const ports = [53, 443, 6443, 5432]
    expect(usual).toEqual(Object.fromEntries(ports.map((port) => [port, 'all'])))
    const [dns, apiServer, postgres] = ['10.0.0.10/32', '10.0.0.1/32', '10.1.0.7/32'].map(
      (cidr) => [{ ipBlock: { cidr } }],
    )
    expect(narrow).toEqual({ 53: dns, 443: apiServer, 6443: apiServer, 5432: postgres })
  })

  it('lets no client read metrics where the list is empty, and has no policy where it is off', async () => {
    const none = ['--set=http.enabled=false', '--set-json=networkPolicy.metricsFrom=[]']
    expect(letIn(await manifests(...none))).toEqual({})
    const off = await manifests('--set=networkPolicy.enabled=false')
    expect(off.map(({ kind }) => kind)).not.toContain('NetworkPolicy')
  })

  it.each(['true', 'false'])(
    'bounds the rights of the broker, admission.enabled=%s, and fails closed',
    async (isOn) => {
      const all = await manifests(`--set=admission.enabled=${isOn}`)

      expect(policiesIn(all).map(({ metadata }) => metadata.name)).toContain('bourse-broker-own')
      expect(openPolicies(all)).toEqual([])
    },
  )

  it('lets cert-manager make the certificates, with a CA of our own', async () => {
    const all = await manifests(`--values=charts/examples/rest-with-cert-manager.yaml`)

    const made = all.filter(({ kind }) => ['Issuer', 'Certificate'].includes(kind))
    expect(made.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort()).toEqual([
      'Certificate bourse-broker',
      'Certificate bourse-broker-ca',
      'Certificate bourse-broker-operator',
      'Issuer bourse-broker-ca',
      'Issuer bourse-broker-self-signed',
    ])
  })

  const SECRETS = ['bourse-broker-ca', 'bourse-broker-certificates', 'bourse-broker-operator']
  const secretsIn = (all: Awaited<ReturnType<typeof manifests>>) =>
    all.filter(({ kind }) => kind === 'Secret')

  it('makes certificates by a Job otherwise, whose account may use these Secrets alone', async () => {
    const all = await manifests()

    const secrets = secretsIn(all)
    expect(secrets.map(({ metadata }) => metadata.name)).toEqual(SECRETS)
    // An upgrade must not change what is in them, nor `helm uninstall` take them along.
    for (const secret of secrets) {
      expect(secret).not.toHaveProperty('data')
      expect(secret.metadata).toMatchObject({ annotations: { 'helm.sh/resource-policy': 'keep' } })
    }
    expect(rightsOn('secrets', all)).toEqual([
      {
        ...{ apiGroups: [''], resources: ['secrets'] },
        ...{ resourceNames: SECRETS, verbs: ['get', 'update'] },
      },
    ])
    expect(all.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['Job', 'CronJob']))
  })

  it.each([
    { without: 'REST', values: ['--set=http.enabled=false'] },
    { without: 'certificates of its own', values: ['--set=http.certificates.secretName=mine'] },
    {
      without: 'certificates of its own',
      values: ['--set=http.certificates.certManager.enabled=true'],
    },
  ])('makes no certificates without $without', async ({ values }) => {
    const all = await manifests(...values)

    expect(secretsIn(all)).toEqual([])
    expect(rightsOn('secrets', all)).toEqual([])
    expect(all.map(({ kind }) => kind)).not.toContain('Job')
  })

  it('makes another Job for another image or other names, since a Job cannot be changed', async () => {
    const nameWith = async (...values: readonly string[]) =>
      (await manifests(...values)).find(({ kind }) => kind === 'Job')?.metadata.name

    const usual = await nameWith()
    expect(await nameWith('--set=config.stale-after=5m')).toBe(usual)
    expect(await nameWith('--set=image.tag=0.2.0')).not.toBe(usual)
    expect(await nameWith('--set=http.publicURL=https://broker.example.org')).not.toBe(usual)
  })

  it('names the broker in its certificate as clusters reach it', async () => {
    const rendered = await template(
      '--set=http.publicURL=https://broker.example.org:8443',
      '--set=http.certificates.names={192.0.2.10}',
    )

    expect(rendered).toContain(
      '--names=bourse-broker,bourse-broker.bourse-system,bourse-broker.bourse-system.svc,' +
        'bourse-broker.bourse-system.svc.cluster.local,broker.example.org,192.0.2.10\n',
    )
  })

  it('gives the broker its anchor, and of all ConfigMaps the right to that one', async () => {
    const all = await manifests('--set=anchor.enabled=true')
    const without = await manifests()

    const anchor = all.find(({ metadata }) => metadata.name === 'bourse-broker-anchor')
    expect(anchor).toMatchObject({ kind: 'ConfigMap' })
    expect(anchor).not.toHaveProperty('data')
    expect(rightsOn('configmaps', without)).toEqual([])
    expect(rightsOn('configmaps', all)).toEqual([
      {
        ...{ apiGroups: [''], resources: ['configmaps'] },
        ...{ resourceNames: ['bourse-broker-anchor'], verbs: ['get', 'update'] },
      },
    ])
    expect(JSON.stringify(all)).toContain('--anchor=configmap:bourse-system/bourse-broker-anchor')
  })

  it('gives the broker a file of rates that follows its ConfigMap', async () => {
    const all = await manifests('--set=ratesConfigMap=rates')

    const broker = all.find(({ kind }) => kind === 'Deployment')
    const path = '/etc/bourse/rates'
    expect(broker?.spec?.template?.spec).toMatchObject({
      containers: [
        {
          args: expect.arrayContaining([`--rates=@${path}/rates`]),
          // Not by `subPath`, which would never be refreshed.
          volumeMounts: expect.arrayContaining([
            { name: 'rates', mountPath: path, readOnly: true },
          ]),
        },
      ],
      volumes: expect.arrayContaining([{ name: 'rates', configMap: { name: 'rates' } }]),
    })
  })

  it('leaves the CRDs behind when it is removed: the ledger is in them', async () => {
    const crds = (await manifests()).filter(({ kind }) => kind === 'CustomResourceDefinition')

    expect(crds.map(({ metadata }) => metadata)).toEqual(
      crds.map(({ metadata }) => ({
        name: metadata.name,
        annotations: { 'helm.sh/resource-policy': 'keep' },
      })),
    )
    expect(crds).toHaveLength(5)
  })
})

describe('on a real API server', () => {
  const controlPlane = useControlPlane()
  const foreign = new Set(['Issuer', 'Certificate'])
  const apply = ['apply', '--server-side', '--force-conflicts', '--filename=-']

  beforeAll(async () => {
    const namespace = join(repositoryRoot, 'config/default/namespace.yaml')
    await controlPlane().kubectl(['apply', `--filename=${namespace}`])
  })

  it.each(['(the defaults)', ...examples])('%s is applied', async (example) => {
    const values = examples.includes(example) ? [`--values=charts/examples/${example}`] : []
    const items = (await manifests(...values)).filter(({ kind }) => !foreign.has(kind))

    const list = { apiVersion: 'v1', kind: 'List', items }
    const applied = await controlPlane().kubectl(apply, JSON.stringify(list))

    expect(applied).toContain('deployment.apps/bourse-broker serverside-applied')
  })

  it.each(['Deployment', 'Job'])('pods of the %s keep to the restricted standard', async (one) => {
    const [workload] = (await manifests()).filter(({ kind }) => kind === one)
    const metadata = { name: 'broker', namespace: 'bourse-system' }
    const { spec } = workload?.spec?.template ?? {}
    const manifest = { apiVersion: 'v1', kind: 'Pod', metadata, spec }

    const create = ['create', '--dry-run=server', '--filename=-']
    const created = await controlPlane().kubectl(create, JSON.stringify(manifest))

    expect(created).toContain('pod/broker created')
  })
})

describe('uninstalling', () => {
  const controlPlane = useControlPlane()
  const held = [
    { ...aReservation('held'), finalizer: RESERVATION_FINALIZER },
    { ...aResourceRequest('held'), finalizer: RESOURCE_REQUEST_FINALIZER },
  ].map(({ finalizer, metadata, ...rest }) => {
    return { ...rest, metadata: { ...metadata, finalizers: [finalizer] } }
  })

  it('leaves nothing behind, also when no broker runs any more', async () => {
    const { kubectl, adminKubeconfig } = controlPlane()
    await kubectl([
      'apply',
      '--server-side',
      `--filename=${join(repositoryRoot, 'config/crd/bases')}`,
    ])
    await kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s'])
    for (const object of held) await kubectl(['create', '--filename=-'], JSON.stringify(object))
    const { stdout: tools } = await run('tools/build-kubernetes', ['--where'], here)
    const env = { KUBECONFIG: adminKubeconfig, KUBECTL: `${tools.trim()}/kubectl`, TIMEOUT: '1s' }

    await run('tools/uninstall-kinds', { ...here, env: { ...process.env, ...env } })

    expect(await kubectl(['get', 'crd', '--output=name'])).toBe('')
  })
})
