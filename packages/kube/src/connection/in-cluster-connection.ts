import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Connection } from './connection.ts'
import { createConnection } from './create-connection.ts'
import { createLiveFile } from './live-file.ts'

const SERVICE_ACCOUNT_DIR = '/var/run/secrets/kubernetes.io/serviceaccount'

type World = Readonly<{ env: NodeJS.ProcessEnv; now(): number; dir?: string | undefined }>

/** Inside a pod. The token and the CA rotate, so both are re-read. */
export async function inClusterConnection({
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
