/** PEM, as `tls.connect` takes it. The same object as long as nothing in it changes. */
export type TlsMaterial = Readonly<{
  ca?: string
  cert?: string
  key?: string
  /** The name expected in the server's certificate, if it is not the host of the address. */
  servername?: string
  rejectUnauthorized: boolean
}>

export type Credentials = Readonly<{
  tls: TlsMaterial
  /** Authorization and impersonation. */
  headers: Readonly<Record<string, string>>
}>

/** Where the API server is, and our credentials there. */
export type Connection = {
  /** `https://host:port`, perhaps with a path. */
  readonly server: string
  /** The namespace of the context, or of the pod; `default` where there is none. */
  readonly namespace: string
  /** For logs: `context rome of /etc/kubeconfig`, `in-cluster`. */
  readonly source: string
  /** Sentences for the operator. */
  readonly warnings: readonly string[]
  /** For the next request: files are re-read and plug-ins re-run when due. */
  credentials(): Promise<Credentials>
  /** The server answered 401: cached credentials are dropped. */
  refused(): void
}

/** The kubeconfig, or a file it names, cannot be used; the message says what to change. */
export class ConnectionRefused extends Error {
  override readonly name = 'ConnectionRefused'
}
