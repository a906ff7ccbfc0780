import type { Connection } from '@bourse/kube'

type FixedCredentials = Readonly<{
  server: string
  namespace?: string
  ca?: string
  cert?: string
  key?: string
  token?: string
}>

/** A connection with credentials that never change. */
export function fixedConnection(given: FixedCredentials): Connection {
  const { server, namespace = 'default', token, ...pem } = given
  const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {}
  const credentials = { tls: { rejectUnauthorized: true, ...pem }, headers }
  return {
    server,
    namespace,
    source: server,
    warnings: [],
    credentials: async () => credentials,
    refused() {},
  }
}
