/** PEM, as `tls.connect` takes it. A new object whenever anything in it changed. */
export type TlsMaterial = Readonly<{
  ca?: string
  cert?: string
  key?: string
  /** The name to expect in the server's certificate, if it is not the host of the address. */
  servername?: string
  rejectUnauthorized: boolean
}>

export type Credentials = Readonly<{
  tls: TlsMaterial
  /** Authorization and impersonation. */
  headers: Readonly<Record<string, string>>
}>

/** Where the API server is and who we are to it. */
export type Connection = {
  /** `https://host:port`, perhaps with a path. */
  readonly server: string
  /** The namespace of the context, or of the pod; `default` where there is none. */
  readonly namespace: string
  /** For logs: `context rome of /etc/kubeconfig`, `in-cluster`. */
  readonly source: string
  /** What an operator ought to know, each a sentence. */
  readonly warnings: readonly string[]
  /** What to use for the next request: files are read again, plug-ins run again when due. */
  credentials(): Promise<Credentials>
  /** The server did not accept them: cached ones are forgotten. */
  refused(): void
}
