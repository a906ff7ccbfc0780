/** A daemon cannot type a passphrase. */
export const PROTECTED_KEY =
  'is protected by a passphrase: openssl pkey -in tls.key -out tls.key.plain makes one without, ' +
  'to put in its place'

export function isProtectedKey(pem: string): boolean {
  return /^-.*ENCRYPTED|^Proc-Type:.*ENCRYPTED/m.test(pem)
}
