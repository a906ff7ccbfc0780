import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeLeaf, makeRoot } from '@bourse/pki'
import type { ControlPlane } from '../control-plane/control-plane.ts'
import { quietPorts } from '../processes/quiet-ports.ts'
import { runProgram } from '../processes/run-program.ts'
import { type LiqoNetworking, type LiqoSettings, renderLiqo } from './liqo-manifests.ts'
import {
  createLiqoParts,
  type Enforcement,
  findLiqo,
  type LiqoParts,
  NAMESPACE,
} from './liqo-parts.ts'
import { runVirtualKubelets, type VirtualKubelets } from './virtual-kubelets.ts'

export type LiqoOptions = Readonly<{
  clusterId: string
  /** How a Quota binds (default Hard: requests must be there, and equal to limits). */
  enforcement?: Enforcement
  /** With its networking controllers; the gateways are pods without containers, and carry nothing. */
  networking?: LiqoNetworking
}>

/** Liqo's own controllers on a control plane, as plain processes; no network between clusters. */
export type Liqo = LiqoParts &
  Readonly<{
    /** Runs liqoctl on this cluster, and returns its output. */
    liqoctl(args: readonly string[]): Promise<string>
    /** The virtual nodes for which a virtual-kubelet runs. */
    kubelets(): readonly string[]
    logs(): string
    stop(): Promise<void>
  }>

/** Where liqoctl is. */
export const liqoctlPath = (): string => findLiqo()('liqoctl')

/** The control plane is one that was started with `liqoNeeds`. */
export async function startLiqo(controlPlane: ControlPlane, options: LiqoOptions): Promise<Liqo> {
  const { adminKubeconfig: kubeconfig } = controlPlane
  const find = findLiqo()
  const tmpDir = join(controlPlane.dir, 'liqo')
  mkdirSync(tmpDir)
  const [webhookPort = 0, ...probePorts] = await quietPorts(4)
  const { clusterId, enforcement = 'Hard', networking } = options
  const isNetworked = networking !== undefined
  const parts = createLiqoParts({
    find,
    clusterId,
    enforcement,
    controlPlane,
    tmpDir,
    webhookPort,
    probePorts,
    isNetworked,
  })
  let kubelets: VirtualKubelets | undefined
  async function stop(): Promise<void> {
    await kubelets?.stop()
    await Promise.all(Object.values(parts).map((part) => part.end()))
  }
  try {
    const webhooks = await prepare(controlPlane, { clusterId, tmpDir, webhookPort, networking })
    await Promise.all(Object.values(parts).map((part) => part.start()))
    await controlPlane.kubectl(['create', '--filename=-'], webhooks)
    kubelets = await runVirtualKubelets({ binary: find('virtual-kubelet'), kubeconfig })
  } catch (failure) {
    // The caller does not have them yet, and cannot clean up.
    await stop()
    throw failure
  }
  const watching = kubelets
  return {
    ...parts,
    liqoctl: (args) =>
      runProgram([find('liqoctl'), ...args, `--kubeconfig=${kubeconfig}`], {
        title: `liqoctl ${args.join(' ')}`,
      }),
    kubelets: watching.running,
    logs: () => [...Object.values(parts), watching].map((one) => one.logs()).join('\n'),
    stop,
  }
}

type Preparation = Readonly<{ clusterId: string; tmpDir: string; webhookPort: number }> &
  Pick<LiqoSettings, 'networking'>

/** Creates its objects; returns the webhooks, which are created once their server runs. */
async function prepare(
  { kubectl, url, caCertificate }: ControlPlane,
  { clusterId, tmpDir, webhookPort, networking }: Preparation,
): Promise<string> {
  const rendering = writeWebhookCertificate(tmpDir).then((webhookCa) =>
    renderLiqo({
      clusterId,
      apiServerUrl: url,
      apiServerCa: caCertificate,
      webhookUrl: `https://127.0.0.1:${webhookPort}`,
      webhookCa,
      networking,
    }),
  )
  const [{ objects, webhooks }] = await Promise.all([
    rendering,
    // An agent may have rights there already.
    kubectl(['apply', '--filename=-'], JSON.stringify(HOME)),
  ])
  await kubectl(['create', `--namespace=${NAMESPACE}`, '--filename=-'], objects)
  return webhooks
}

const HOME = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } }

/** Where the webhook looks for its certificate, under its TMPDIR; returns its authority. */
async function writeWebhookCertificate(tmpDir: string): Promise<string> {
  const certificates = join(tmpDir, 'k8s-webhook-server', 'serving-certs')
  mkdirSync(certificates, { recursive: true })
  const validity = { from: new Date(), days: 30 }
  const root = await makeRoot('liqo webhook', 'ec', validity)
  const pair = await makeLeaf(
    root,
    { commonName: 'liqo-webhook', usages: ['server'], ip: ['127.0.0.1'] },
    { keyType: 'ec', validity },
  )
  writeFileSync(join(certificates, 'tls.crt'), pair.certificate)
  writeFileSync(join(certificates, 'tls.key'), pair.key, { mode: 0o600 })
  return root.certificate
}
