import type { Connection, Credentials, TlsMaterial } from './connection.ts'

/** The sources of each part of the credentials; all are asked before every request. */
export type Sources = Readonly<{
  server: string
  namespace?: string | undefined
  source: string
  warnings?: readonly string[]
  tls(): Promise<TlsMaterial>
  headers(): Promise<Readonly<Record<string, string>>>
  refused?(): void
}>

export function createConnection(sources: Sources): Connection {
  const { server, source, namespace = 'default', warnings = [], refused = () => {} } = sources
  let current: TlsMaterial | undefined

  async function credentials(): Promise<Credentials> {
    const [tls, headers] = await Promise.all([sources.tls(), sources.headers()])
    // The same object for the same material: a new one opens new connections.
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
