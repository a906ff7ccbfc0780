import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { LiqoctlPeeringConfig } from '../../config/index.ts'

export type CommandSettings = Pick<
  LiqoctlPeeringConfig,
  'networking' | 'serviceType' | 'liqoNamespace'
>

/** `kubeconfig` is the provider's. */
export function peerCommand(kubeconfig: string, settings: CommandSettings): readonly string[] {
  return ['peer', ...placesOf(kubeconfig, settings), ...networkingOf(settings), SLICES_APART]
}

export function unpeerCommand(kubeconfig: string, settings: CommandSettings): readonly string[] {
  return ['unpeer', ...placesOf(kubeconfig, settings), '--skip-confirm']
}

/** Slices are made apart, one a reservation: liqoctl has one a provider. */
const SLICES_APART = '--create-resource-slice=false'

/** With these two commands the namespace is that of Liqo, in either cluster. */
function placesOf(kubeconfig: string, { liqoNamespace }: CommandSettings): string[] {
  const namespaces = [`--namespace=${liqoNamespace}`, `--remote-namespace=${liqoNamespace}`]
  return [`--remote-kubeconfig=${kubeconfig}`, ...namespaces]
}

function networkingOf({ networking, serviceType }: CommandSettings): string[] {
  return networking === 'none'
    ? ['--networking-disabled']
    : [`--gw-server-service-type=${serviceType}`]
}

export type KubeconfigFile =
  | Readonly<{ kind: 'file'; path: string }>
  | Readonly<{ kind: 'missing'; message: string }>

/** `<cluster-id>.kubeconfig` in a directory, looked for each time: a Secret may bring it later. */
export function kubeconfigFileOf(dir: string, clusterId: string): KubeconfigFile {
  const path = join(dir, `${clusterId}.kubeconfig`)
  if (existsSync(path)) return { kind: 'file', path }
  const message =
    `There is no kubeconfig for ${clusterId}: put it at ${path}, ` +
    'or use --peering=native, which needs none.'
  return { kind: 'missing', message }
}
