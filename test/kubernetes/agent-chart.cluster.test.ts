import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { agentFlags } from '@bourse/agent/config'
import { repositoryRoot } from '@bourse/testkit'
import { useControlPlane } from '@bourse/testkit/use-control-plane'
import { beforeAll, describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'

const run = promisify(execFile)
const here = { cwd: repositoryRoot, encoding: 'utf8' } as const
const chart = 'charts/bourse-agent'
const BROKER = '--set=broker.url=https://broker.example:8443'

type Manifest = {
  kind: string
  metadata: { name: string }
  spec?: { template?: { spec: object } }
}

async function helm(...args: readonly string[]): Promise<string> {
  const { stdout: path } = await run('tools/install-helm', ['--where'], here)
  const { stdout } = await run(path.trim(), args, here)
  return stdout
}

const template = (...values: readonly string[]) =>
  helm('template', 'bourse-agent', chart, '-n=bourse-system', '--kube-version=1.36.0', ...values)

async function manifests(...values: readonly string[]): Promise<Manifest[]> {
  const documents = parseAllDocuments(await template(...values))
  // The chart renders Kubernetes objects only; a document may be empty.
  return documents.map((one) => one.toJS() as Manifest | null).filter((one) => one !== null)
}

describe("the agent's chart", () => {
  it('passes helm lint', async () => {
    expect(await helm('lint', '--strict', chart, BROKER)).toContain('0 chart(s) failed')
  })

  it.each([
    { values: [], sentence: 'broker.url is missing' },
    { values: ['broker.url=http://broker'], sentence: 'broker.url' },
    { values: ['clusterID=Rome!'], sentence: 'clusterID' },
    { values: ['config.cluster-id=rome'], sentence: 'config' },
    { values: ['peering=native'], sentence: 'peering' },
    { values: ['replica=3'], sentence: 'replica' },
  ])('refuses $values', async ({ values, sentence }) => {
    await expect(template(...values.map((one) => `--set=${one}`))).rejects.toThrow(sentence)
  })

  it('gives the agent only flags that it knows', async () => {
    const known: readonly string[] = Object.values(agentFlags).map(({ name }) => name)

    const rendered = await template(BROKER, '--set=clusterID=rome', '--set=costConfigMap=prices')

    const given = [...rendered.matchAll(/^ +- --([a-z-]+)/gm)].map(([, name = '']) => name)
    expect(given).toContain('cost-configmap')
    expect(given.filter((name) => !known.includes(name))).toEqual([])
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
