/** The kubeconfig, or a file it names, cannot be used; the message says what to change. */
export class ConnectionRefused extends Error {
  override readonly name = 'ConnectionRefused'
}
