import { access } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { type Connection, ConnectionRefused } from './connection.ts'
import { inClusterConnection } from './in-cluster-connection.ts'
import { chooseContext } from './kubeconfig.ts'
import { kubeconfigConnection } from './kubeconfig-connection.ts'

export type LoadOptions = Readonly<{
  kubeconfig?: string | undefined
  context?: string | undefined
  env?: NodeJS.ProcessEnv
  now?(): number
  /** For tests: where a pod finds its token. */
  serviceAccountDir?: string
}>

/** The kubeconfig given, else $KUBECONFIG, else the pod's own account, else ~/.kube/config. */
export async function loadConnection(options: LoadOptions = {}): Promise<Connection> {
  const { kubeconfig, context, env = process.env, now = Date.now, serviceAccountDir } = options
  const named = kubeconfig ? [kubeconfig] : await existing(env.KUBECONFIG?.split(delimiter) ?? [])
  if (named.length > 0)
    return kubeconfigConnection(await chooseContext(named, context), { env, now })
  if (env.KUBERNETES_SERVICE_HOST && context === undefined)
    return inClusterConnection({ env, now, dir: serviceAccountDir })
  const home = await existing([join(env.HOME ?? '/', '.kube', 'config')])
  if (home.length > 0) return kubeconfigConnection(await chooseContext(home, context), { env, now })
  throw new ConnectionRefused(
    'There is no kubeconfig (none given, none in KUBECONFIG, none in the home directory), ' +
      'and this is not a pod; give a kubeconfig.',
  )
}

/** As in kubectl, missing files of the list are skipped. */
async function existing(files: readonly string[]): Promise<readonly string[]> {
  const isThere = await Promise.all(
    files.map((file) =>
      access(file).then(
        () => file !== '',
        () => false,
      ),
    ),
  )
  return files.filter((_, at) => isThere[at])
}
