/** The kubeconfig, or what it points to, cannot be used; the sentence says what to change. */
export class ConnectionRefused extends Error {
  override readonly name = 'ConnectionRefused'
}
