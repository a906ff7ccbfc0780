import { type Connection, ConnectionRefused, type TlsMaterial } from './connection.ts'
import { createConnection } from './create-connection.ts'
import { createExecCredential, type ExecCredential } from './exec-credential.ts'
import type { Chosen, ClusterEntry, UserEntry } from './kubeconfig.ts'
import { createLiveFile } from './live-file.ts'

type Text = () => Promise<string | undefined>
type World = Readonly<{ env: NodeJS.ProcessEnv; now(): number }>

/** A context of a kubeconfig, ready to be used. */
export function kubeconfigConnection(chosen: Chosen, { env, now }: World): Connection {
  const { cluster, user, context, file } = chosen
  checkSupported(cluster, user, context)
  const exec = user.exec && createExecCredential({ exec: user.exec, cluster, env, now })
  return createConnection({
    server: cluster.server,
    namespace: chosen.namespace,
    source: `context ${context} of ${file}`,
    warnings: warningsOf(cluster, context),
    tls: tlsOf(cluster, user, { exec, now }),
    headers: headersOf(user, { exec, now }),
    ...(exec ? { refused: exec.forget } : {}),
  })
}

function checkSupported(cluster: ClusterEntry, user: UserEntry, context: string): void {
  if (cluster['proxy-url'])
    throw new ConnectionRefused(
      `Context ${context} uses the proxy ${cluster['proxy-url']} (proxy-url), ` +
        'which is not supported; use an address that can be reached directly.',
    )
  if (user['auth-provider'])
    throw new ConnectionRefused(
      `Context ${context} uses an auth-provider, which Kubernetes removed in 1.26; ` +
        'use an exec plug-in, a token or a certificate.',
    )
  if (!URL.canParse(cluster.server))
    throw new ConnectionRefused(
      `The server of context ${context} is not a valid address: ${cluster.server}.`,
    )
}

function warningsOf(cluster: ClusterEntry, context: string): readonly string[] {
  const warnings: string[] = []
  if (cluster['insecure-skip-tls-verify'])
    warnings.push(
      `Context ${context} sets insecure-skip-tls-verify: an attacker on the network path to ` +
        `${cluster.server} can read and change everything.`,
    )
  if (cluster.server.startsWith('http:'))
    warnings.push(`Context ${context} uses plain http for ${cluster.server}: nothing is encrypted.`)
  return warnings
}

type Live = Readonly<{ exec: ExecCredential | undefined; now(): number }>

function tlsOf(cluster: ClusterEntry, user: UserEntry, { exec, now }: Live) {
  const text = (inline: string | undefined, path: string | undefined): Text => {
    // As in kubectl, inline data wins over a path.
    const given = inline && Buffer.from(inline, 'base64').toString('utf8')
    if (given) return async () => given
    return path ? createLiveFile(path, now) : async () => undefined
  }
  const ca = text(cluster['certificate-authority-data'], cluster['certificate-authority'])
  const cert = text(user['client-certificate-data'], user['client-certificate'])
  const key = text(user['client-key-data'], user['client-key'])

  return async function tls(): Promise<TlsMaterial> {
    const given = await Promise.all([ca(), cert(), key(), exec?.current()])
    const [caPem, certPem, keyPem, plugin] = given
    return {
      rejectUnauthorized: !cluster['insecure-skip-tls-verify'],
      ...optional('servername', cluster['tls-server-name']),
      ...optional('ca', caPem),
      ...optional('cert', certPem ?? plugin?.clientCertificateData),
      ...optional('key', keyPem ?? plugin?.clientKeyData),
    }
  }
}

function optional<Name extends string>(name: Name, value: string | undefined) {
  // TypeScript widens the computed name to string.
  return (value ? { [name]: value } : {}) as { [Key in Name]?: string }
}

function headersOf(user: UserEntry, { exec, now }: Live) {
  const file = user.tokenFile ? createLiveFile(user.tokenFile, now) : undefined
  const impersonated = impersonation(user)

  return async function headers(): Promise<Record<string, string>> {
    // As in kubectl, the file wins over an inline token: the file is rotated.
    const token = (await file?.())?.trim() || user.token || (await exec?.current())?.token
    const authorization = token ? `Bearer ${token}` : basic(user)
    return { ...impersonated, ...optional('authorization', authorization) }
  }
}

function basic({ username, password }: UserEntry): string | undefined {
  if (!username) return undefined
  return `Basic ${Buffer.from(`${username}:${password ?? ''}`).toString('base64')}`
}

function impersonation(user: UserEntry): Record<string, string> {
  const groups = user['as-groups'] ?? []
  if (groups.length > 1)
    throw new ConnectionRefused('Only one group in as-groups is supported for impersonation.')
  return { ...optional('impersonate-user', user.as), ...optional('impersonate-group', groups[0]) }
}
