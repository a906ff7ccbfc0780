import { existsSync } from 'node:fs'
import { join } from 'node:path'

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
