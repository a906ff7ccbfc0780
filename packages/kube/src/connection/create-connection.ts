import type { Connection, Credentials, TlsMaterial } from './connection.ts'

/** Where each part of the credentials comes from; all are asked before every request. */
export type Sources = Readonly<{
  server: string
  namespace?: string
  source: string
  warnings?: readonly string[]
  /** PEM and the rest; the parts may change between two calls. */
  tls(): Promise<TlsMaterial>
  headers(): Promise<Readonly<Record<string, string>>>
  refused?(): void
}>

export function createConnection(sources: Sources): Connection {
  const { server, source, namespace = 'default', warnings = [], refused = () => {} } = sources
  let current: TlsMaterial | undefined

  async function credentials(): Promise<Credentials> {
    const [tls, headers] = await Promise.all([sources.tls(), sources.headers()])
    // The same object for the same material: a new one means new connections.
    if (current === undefined || !isSame(current, tls)) current = tls
    return { tls: current, headers }
  }

  return { server, source, namespace, warnings, credentials, refused }
}

function isSame(a: TlsMaterial, b: TlsMaterial): boolean {
  return (
    a.ca === b.ca &&
    a.cert === b.cert &&
    a.key === b.key &&
    a.servername === b.servername &&
    a.rejectUnauthorized === b.rejectUnauthorized
  )
}

export type FixedCredentials = Readonly<{
  server: string
  namespace?: string
  ca?: string
  cert?: string
  key?: string
  token?: string
}>

/** A server and credentials that are at hand and stay as they are. */
export function fixedConnection(fixed: FixedCredentials): Connection {
  const { server, namespace, token, ca, cert, key } = fixed
  const tls = {
    rejectUnauthorized: true,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  }
  return createConnection({
    server,
    source: server,
    ...(namespace === undefined ? {} : { namespace }),
    tls: async () => tls,
    headers: async () => (token === undefined ? {} : { authorization: `Bearer ${token}` }),
  })
}
