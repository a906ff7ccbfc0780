import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A certificate, its key and its authority, as TLS takes them, from the files of a directory. */
export function identityIn(directory: string) {
  const file = (name: string) => readFileSync(join(directory, name))
  return { ca: file('ca.crt'), cert: file('tls.crt'), key: file('tls.key') }
}
