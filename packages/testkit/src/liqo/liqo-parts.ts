import type { ControlPlane } from '../control-plane/control-plane.ts'
import { createPart, type Part } from '../processes/part.ts'
import { isListening, isUp } from '../processes/probe.ts'
import { findPrograms } from '../processes/programs.ts'

export type LiqoProgram =
  | 'liqo-controller-manager'
  | 'crd-replicator'
  | 'webhook'
  | 'virtual-kubelet'
  | 'liqoctl'

export const findLiqo = () => findPrograms<LiqoProgram>('build-liqo')

export type Enforcement = 'None' | 'Soft' | 'Hard'

export type PartsOptions = Readonly<{
  find: (program: LiqoProgram) => string
  clusterId: string
  enforcement: Enforcement
  controlPlane: ControlPlane
  tmpDir: string
  webhookPort: number
  probePorts: readonly number[]
  isNetworked: boolean
}>

export type LiqoParts = Readonly<{ controllerManager: Part; replicator: Part; webhook: Part }>

export const NAMESPACE = 'liqo'

/** The three that each cluster has one of. */
export function createLiqoParts(options: PartsOptions): LiqoParts {
  const { find, clusterId, controlPlane, webhookPort } = options
  const [managerPort = 0, replicatorPort = 0, webhookProbePort = 0] = options.probePorts
  const env = {
    KUBECONFIG: controlPlane.adminKubeconfig,
    TMPDIR: options.tmpDir,
    POD_NAME: 'liqo-0',
    POD_NAMESPACE: NAMESPACE,
  }
  const own = [`--cluster-id=${clusterId}`]
  return {
    controllerManager: createPart({
      name: `liqo-controller-manager of ${clusterId}`,
      command: [find('liqo-controller-manager'), ...own, ...managerFlags(options, managerPort)],
      env,
      isReady: () => isUp(`http://127.0.0.1:${managerPort}/readyz`),
    }),
    replicator: createPart({
      name: `crd-replicator of ${clusterId}`,
      command: [
        ...[find('crd-replicator'), ...own],
        `--metrics-address=127.0.0.1:${replicatorPort}`,
      ],
      env,
      isReady: () => isUp(`http://127.0.0.1:${replicatorPort}/metrics`),
    }),
    webhook: createPart({
      name: `webhook of ${clusterId}`,
      command: [find('webhook'), ...own, ...webhookFlags(webhookPort, webhookProbePort)],
      env,
      // It says ready before its webhooks are served.
      isReady: async () =>
        (await isUp(`http://127.0.0.1:${webhookProbePort}/readyz`)) && isListening(webhookPort),
    }),
  }
}

function managerFlags(options: PartsOptions, probePort: number): string[] {
  const { controlPlane, enforcement, isNetworked } = options
  const ca = Buffer.from(controlPlane.caCertificate).toString('base64')
  return [
    `--liqo-namespace=${NAMESPACE}`,
    `--networking-enabled=${isNetworked}`,
    ...(isNetworked ? GATEWAYS : []),
    '--ipam-server=',
    `--api-server-address-override=${controlPlane.url}`,
    `--ca-override=${ca}`,
    '--enable-storage=false',
    '--enable-api-server-ip-remapping=false',
    `--default-limits-enforcement=${enforcement}`,
    '--default-node-resources=cpu=4,memory=8Gi,pods=110,ephemeral-storage=20Gi',
    // A provider that has died is noticed while a test still waits.
    '--foreign-cluster-ping-interval=5s',
    '--metrics-address=0',
    `--health-probe-address=127.0.0.1:${probePort}`,
  ]
}

/** As its chart has them. */
const GATEWAYS = [
  '--gateway-server-resources=networking.liqo.io/v1beta1/wggatewayservers',
  '--gateway-client-resources=networking.liqo.io/v1beta1/wggatewayclients',
]

function webhookFlags(port: number, probePort: number): string[] {
  return [
    `--liqo-namespace=${NAMESPACE}`,
    '--secret-name=',
    `--webhook-port=${port}`,
    '--vk-options-default-template=liqo/virtual-kubelet-default',
    '--enable-resource-enforcement',
    '--metrics-address=0',
    `--health-probe-address=127.0.0.1:${probePort}`,
  ]
}
