import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { brokerFlags } from '@bourse/broker/config'
import { RESERVATION_FINALIZER } from '@bourse/contract/kinds'
import { repositoryRoot } from '@bourse/testkit'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { beforeAll, describe, expect, it } from 'vitest'
import { RESOURCE_REQUEST_FINALIZER } from '../../apps/agent/src/controllers/resource-request.ts'
import { aChart, helm, helmPath, here, run } from './chart.ts'
import { aReservation, aResourceRequest } from './manifests.ts'

const { path: chart, template, manifests } = aChart('bourse-broker')
const examples = readdirSync(join(repositoryRoot, 'charts/examples'))

describe('the chart', () => {
  it('passes helm lint', async () => {
    expect(await helm('lint', '--strict', chart)).toContain('0 chart(s) failed')
  })

  it('is what config/ was rendered from', async () => {
    await run('node', ['render-config.ts', await helmPath(), '--check'], here)
  })

  it.each([
    { values: ['http.enabled=true'], sentence: 'http.enabled needs certificates' },
    { values: ['grpc.enabled=true'], sentence: 'grpc.enabled needs http.enabled' },
    { values: ['mqtt.url=mqtts://m:8883'], sentence: 'mqtt.url needs mqtt.certificatesSecret' },
    { values: ['store.kind=sqlite'], sentence: 'store.kind=sqlite is one broker with one volume' },
    { values: ['store.kind=postgres'], sentence: 'needs store.postgres.secretName' },
    { values: ['store.kind=files'], sentence: 'store.kind' },
    { values: ['replica=3'], sentence: 'replica' },
    { values: ['image.digest=sha256:short'], sentence: 'image.digest' },
    { values: ['config.store=sqlite'], sentence: 'config' },
    { values: ['http.service.port=70000'], sentence: 'http.service.port' },
  ])('refuses $values', async ({ values, sentence }) => {
    await expect(template(...values.map((one) => `--set=${one}`))).rejects.toThrow(sentence)
  })

  it.each(examples)('gives the broker of %s only flags that it knows', async (example) => {
    const known: readonly string[] = Object.values(brokerFlags).map(({ name }) => name)

    const rendered = await template(`--values=charts/examples/${example}`)

    const given = [...rendered.matchAll(/^ +- --([a-z-]+)/gm)].map(([, name = '']) => name)
    expect(given.length).toBeGreaterThan(4)
    expect(given.filter((name) => !known.includes(name))).toEqual([])
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

  it('lets cert-manager make the certificates, with a CA of our own', async () => {
    const all = await manifests(`--values=charts/examples/rest-with-cert-manager.yaml`)

    const made = all.filter(({ kind }) => ['Issuer', 'Certificate'].includes(kind))
    expect(made.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort()).toEqual([
      'Certificate bourse-broker',
      'Certificate bourse-broker-ca',
      'Issuer bourse-broker-ca',
      'Issuer bourse-broker-self-signed',
    ])
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

  it('a broker keeps to the restricted pod security standard', async () => {
    const [deployment] = (await manifests()).filter(({ kind }) => kind === 'Deployment')
    const metadata = { name: 'broker', namespace: 'bourse-system' }
    const { spec } = deployment?.spec?.template ?? {}
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
    const env = { KUBECONFIG: adminKubeconfig, KUBECTL: `${tools.trim()}/kubectl`, PATIENCE: '1s' }

    await run('tools/uninstall-kinds', { ...here, env: { ...process.env, ...env } })

    expect(await kubectl(['get', 'crd', '--output=name'])).toBe('')
  })
})
