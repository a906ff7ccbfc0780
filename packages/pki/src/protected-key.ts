/** What is wrong with a key that has a passphrase: nobody is there to type it. */
export const PROTECTED_KEY =
  'is protected by a passphrase: openssl pkey -in tls.key -out tls.key.plain makes one without, ' +
  'to put in its place'

export function isProtectedKey(pem: string): boolean {
  return /^-.*ENCRYPTED|^Proc-Type:.*ENCRYPTED/m.test(pem)
}
