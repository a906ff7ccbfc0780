import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadConnection } from '@bourse/kube'
import { bourseKinds, type ControlPlane, startControlPlane } from '@bourse/testkit/control-plane'
import type { Stage } from '../harness/benchmark.ts'
import type { Identity } from '../harness/certificates.ts'
import { type Load, startLoad } from '../load/load-client.ts'

export type ApiServer = Readonly<{
  controlPlane: ControlPlane
  /** What a broker is told that keeps its ledger, and shows everything, on this API server. */
  flags: readonly string[]
  /** Creates small objects and nothing else: the floor. */
  rawCreates(connections: number): Promise<Load>
  stop(): Promise<void>
}>

const SMALL_KIND = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'smalls.bench.bourse.dev' },
  spec: {
    group: 'bench.bourse.dev',
    scope: 'Namespaced',
    names: { kind: 'Small', plural: 'smalls' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { note: { type: 'string' } } },
            },
          },
        },
      },
    ],
  },
}

/** A real control plane that flushes every write to the measured disk, with our kinds installed. */
export async function startApiServer({ workDir }: Stage): Promise<ApiServer> {
  const dir = join(workDir, `api-server-${Date.now()}`)
  const controlPlane = await startControlPlane({ kinds: bourseKinds, dataDir: join(dir, 'etcd') })
  const { kubectl, adminKubeconfig, apiServer, url } = controlPlane
  await kubectl(['create', '--filename=-'], JSON.stringify(SMALL_KIND))
  await kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=30s'])
  const directory = await writeIdentity(adminKubeconfig, join(dir, 'admin'))
  return {
    controlPlane,
    flags: [
      '--broker-interface=http,kubernetes',
      '--store=kubernetes',
      '--store-namespace=default',
      `--kubeconfig=${adminKubeconfig}`,
    ],
    rawCreates(connections) {
      const identities = Array.from({ length: connections }, (): Identity => {
        return { clusterId: 'small', directory }
      })
      const order = { port: Number(new URL(url).port), identities }
      return startLoad({ ...order, workload: { kind: 'create-small' } }, apiServer.pid)
    },
    stop: controlPlane.stop,
  }
}

/** The files that a raw connection is opened with. */
async function writeIdentity(kubeconfig: string, directory: string): Promise<string> {
  const { tls } = await (await loadConnection({ kubeconfig })).credentials()
  mkdirSync(directory, { recursive: true })
  const write = (name: string, pem = '') =>
    writeFileSync(join(directory, name), pem, { mode: 0o600 })
  write('ca.crt', tls.ca)
  write('tls.crt', tls.cert)
  write('tls.key', tls.key)
  return directory
}
