import { access, readFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { type Connection, ConnectionRefused } from './connection.ts'
import { createConnection } from './create-connection.ts'
import { chooseContext } from './kubeconfig.ts'
import { kubeconfigConnection } from './kubeconfig-connection.ts'
import { createLiveFile } from './live-file.ts'

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

const SERVICE_ACCOUNT_DIR = '/var/run/secrets/kubernetes.io/serviceaccount'

type World = Readonly<{ env: NodeJS.ProcessEnv; now(): number; dir?: string | undefined }>

/** Inside a pod. The token and the CA rotate, so both are re-read. */
async function inClusterConnection({
  env,
  now,
  dir = SERVICE_ACCOUNT_DIR,
}: World): Promise<Connection> {
  const host = env.KUBERNETES_SERVICE_HOST ?? ''
  const port = env.KUBERNETES_SERVICE_PORT ?? '443'
  const token = createLiveFile(join(dir, 'token'), now)
  const ca = createLiveFile(join(dir, 'ca.crt'), now)
  const namespace = await readFile(join(dir, 'namespace'), 'utf8').then(
    (text) => text.trim(),
    () => 'default',
  )
  await Promise.all([token(), ca()])
  return createConnection({
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    namespace,
    source: 'in-cluster',
    tls: async () => ({ rejectUnauthorized: true, ca: await ca() }),
    headers: async () => ({ authorization: `Bearer ${(await token()).trim()}` }),
  })
}
