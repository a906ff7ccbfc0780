import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually, fetchAnew, quietPorts, repositoryRoot, startChild } from '@bourse/testkit'
import type { ControlPlane } from '@bourse/testkit/control-plane'
import { bourse, type Ended } from '../../apps/cli/fixtures/test-cli.ts'
import { helm } from './chart.ts'

const NAMESPACE = 'bourse-system'
const NAME = 'bourse-broker'
const IN_NAMESPACE = `--namespace=${NAMESPACE}`
const READY_WITHIN_MS = 120_000

type Files = Readonly<Record<string, string>>
type Source = Readonly<{
  secret: { name: string; optional?: boolean; items: readonly { key: string; path: string }[] }
}>
type PodSpec = Readonly<{
  serviceAccountName: string
  containers: readonly [Readonly<{ args: readonly string[] }>]
  volumes: readonly Readonly<{ name: string; projected?: { sources: readonly Source[] } }>[]
}>
type Workload = Readonly<{ spec: { template: { spec: PodSpec } } }>

/**
 * A release of the broker's chart on a control plane. There is no kubelet, so a pod runs as a process
 * here: with the arguments, account, files and Secrets that the objects in the API server name.
 */
export function createRelease(plane: () => ControlPlane) {
  const dir = mkdtempSync(join(tmpdir(), 'bourse-release-test-'))
  const stops: (() => void)[] = [() => rmSync(dir, { recursive: true })]
  const env = () => ({
    KUBECONFIG: plane().adminKubeconfig,
    BOURSE_CONFIG: join(dir, 'config.yaml'),
  })

  async function read<T>(...what: readonly string[]): Promise<T> {
    // A caller that reads an object of ours knows its kind.
    return JSON.parse(await plane().kubectl(['get', ...what, IN_NAMESPACE, '--output=json'])) as T
  }
  const filesOf = async (secret: string): Promise<Files> => {
    const { data = {} } = await read<{ data?: Files }>('secret', secret)
    const decoded = Object.entries(data).map(([name, text]) => [name, atob(text)])
    return Object.fromEntries(decoded)
  }

  /** A kubeconfig with the token that Kubernetes gives to pods of an account. */
  async function kubeconfigOf(account: string): Promise<string> {
    const { kubectl, url, caCertificate } = plane()
    const token = (await kubectl(['create', 'token', account, IN_NAMESPACE])).trim()
    const cluster = { server: url, 'certificate-authority-data': btoa(caCertificate) }
    const path = join(dir, `${account}.kubeconfig`)
    const config = {
      ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'pod' },
      contexts: [{ name: 'pod', context: { cluster: 'own', user: account } }],
      clusters: [{ name: 'own', cluster }],
      users: [{ name: account, user: { token } }],
    }
    writeFileSync(path, JSON.stringify(config), { mode: 0o600 })
    return path
  }

  /** The newest Job of the release, run to its end. */
  async function runJob(): Promise<Ended> {
    const { items } = await read<{ items: readonly Workload[] }>(
      ...['jobs', '--sort-by=.metadata.creationTimestamp'],
    )
    const spec = items.at(-1)?.spec.template.spec
    if (!spec) throw new Error('The release has no Job.')
    const KUBECONFIG = await kubeconfigOf(spec.serviceAccountName)
    return bourse(spec.containers[0].args, { KUBECONFIG })
  }

  /** What a kubelet does with the volume of certificates, also when their Secret has changed. */
  async function mountCertificates(): Promise<void> {
    const { spec } = (await read<Workload>('deployment', NAME)).spec.template
    const volume = spec.volumes.find(({ name }) => name === 'certificates')
    mkdirSync(join(dir, 'certificates'), { recursive: true })
    for (const { secret } of volume?.projected?.sources ?? []) {
      const files = await filesOf(secret.name)
      for (const { key, path } of secret.items) {
        if (files[key] !== undefined) writeFileSync(join(dir, 'certificates', path), files[key])
        else if (!secret.optional) throw new Error(`${secret.name} has no ${key}.`)
      }
    }
  }

  /** One broker of the Deployment; returns where it is reached, as by port-forward. */
  async function startBroker(): Promise<string> {
    const { spec } = (await read<Workload>('deployment', NAME)).spec.template
    const { data } = await read<{ data: Files }>('configmap', NAME)
    for (const [name, text] of Object.entries(data)) writeFileSync(join(dir, name), text)
    await mountCertificates()
    const [http = 0, health = 0] = await quietPorts(2)
    const args = spec.containers[0].args
      .map((arg) => arg.replace('/etc/bourse', dir).replace('/var/lib/bourse', join(dir, 'data')))
      .map((arg) => arg.replace('--http-port=8443', `--http-port=${http}`))
    const own = [
      ...['--http-host=127.0.0.1', '--metrics-bind-address=0', '--dashboard-bind-address=0'],
      `--health-probe-bind-address=127.0.0.1:${health}`,
      `--kubeconfig=${await kubeconfigOf(spec.serviceAccountName)}`,
    ]
    const child = startChild([join(repositoryRoot, 'bin/bourse'), ...args, ...own])
    stops.unshift(() => child.exit() ?? child.kill('SIGKILL'))
    const isLeading = async () => {
      if (child.exit()) throw new Error(child.output())
      const { ok } = await fetchAnew(`http://127.0.0.1:${health}/leaderz`).catch(() => ({
        ok: false,
      }))
      return ok || undefined
    }
    await eventually('the broker leads', isLeading, READY_WITHIN_MS)
    return `https://127.0.0.1:${http}`
  }

  return {
    dir,
    env,
    filesOf,
    runJob,
    mountCertificates,
    startBroker,
    /** `install` or `upgrade`; returns what Helm prints, the notes at its end. */
    helm: (verb: 'install' | 'upgrade', ...values: readonly string[]) =>
      helm(
        ...[verb, NAME, 'charts/bourse-broker', IN_NAMESPACE, ...values],
        `--kubeconfig=${plane().adminKubeconfig}`,
        ...(verb === 'install' ? ['--create-namespace'] : []),
      ),
    stop: () => {
      for (const stop of stops) stop()
    },
  }
}
