import { createHash, createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SecureContextOptions } from 'node:tls'
import { isProtectedKey, PROTECTED_KEY } from '@bourse/pki/protected-key'
import { noRevocations, type Revocations, readRevocations } from '@bourse/pki/revocations'
import { nothingThere } from '../../store/port/store-notes.ts'

/** The files of a certificate directory, read together and found to fit together. */
export type TlsFiles = Readonly<{
  context: SecureContextOptions
  revocations: Revocations
  /** Changes exactly when a file's content does. */
  digest: string
  /** What an operator should know, though the files are usable. */
  warnings: readonly string[]
}>

const SERVER_AUTH = '1.3.6.1.5.5.7.3.1'
const CERTIFICATE_BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** Reads `tls.crt`, `tls.key`, `ca.crt` and `crl.pem`. Throws what is wrong, by file. */
export async function readTlsFiles(directory: string, now: number): Promise<TlsFiles> {
  const [cert, key, ca, crl] = await Promise.all([
    readNeeded(directory, 'tls.crt'),
    readNeeded(directory, 'tls.key'),
    readNeeded(directory, 'ca.crt'),
    readFile(join(directory, 'crl.pem')).catch(nothingThere),
  ])
  const [leaf] = certificatesIn(cert, 'tls.crt')
  if (!leaf?.checkPrivateKey(privateKeyIn(key)))
    throw new Error('tls.key does not belong to the certificate in tls.crt')
  const authorities = certificatesIn(ca, 'ca.crt')
  const raw = authorities.map((authority) => authority.raw)
  const revocations = crl ? await readRevocations(crl, raw, now) : noRevocations
  return {
    context: {
      cert,
      key,
      ca,
      minVersion: 'TLSv1.2',
      ...(revocations.handshakeList !== undefined && { crl: revocations.handshakeList }),
    },
    revocations,
    digest: digestOf([cert, key, ca, crl ?? Buffer.alloc(0)]),
    warnings: warningsOf(leaf, { hasList: crl !== undefined, revocations, now }),
  }
}

function certificatesIn(file: Buffer, name: string): X509Certificate[] {
  const blocks = file.toString('latin1').match(CERTIFICATE_BLOCK) ?? []
  if (blocks.length === 0) throw new Error(`${name} holds no certificate`)
  return blocks.map((block) => inOurWords(() => new X509Certificate(block), name, 'certificate'))
}

function privateKeyIn(file: Buffer) {
  if (file.length === 0) throw new Error('tls.key is empty')
  if (isProtectedKey(file.toString('latin1'))) throw new Error(`tls.key ${PROTECTED_KEY}`)
  return inOurWords(() => createPrivateKey(file), 'tls.key', 'private key')
}

/** OpenSSL says `DECODER routines::unsupported`, and not of which file. */
function inOurWords<T>(read: () => T, file: string, what: string): T {
  try {
    return read()
  } catch (cause) {
    throw new Error(`${file} does not hold a whole ${what} in PEM: copy it there again`, { cause })
  }
}

type Findings = Readonly<{ hasList: boolean; revocations: Revocations; now: number }>

function warningsOf(leaf: X509Certificate, { hasList, revocations, now }: Findings): string[] {
  const warnings: string[] = []
  if (leaf.validToDate.getTime() <= now)
    warnings.push(`tls.crt expired on ${leaf.validTo}: callers will refuse the broker`)
  // Node's types call it keyUsage; it lists the extended usages, if the certificate has any.
  const usages = leaf.keyUsage as readonly string[] | undefined
  if (usages && !usages.includes(SERVER_AUTH))
    warnings.push(
      'tls.crt is made for clients: callers will refuse the broker; ' +
        '`bourse ca issue broker --server` makes one for the broker',
    )
  if (hasList && revocations.handshakeList === undefined)
    warnings.push('crl.pem is out of date or lacks an authority: checked on each request only')
  return warnings
}

function digestOf(files: readonly Buffer[]): string {
  const digest = createHash('sha256')
  for (const file of files) digest.update(`${file.length}:`).update(file)
  return digest.digest('hex')
}

function readNeeded(directory: string, name: string): Promise<Buffer> {
  return readFile(join(directory, name)).catch((cause: NodeJS.ErrnoException) => {
    throw new Error(
      `${name} in ${directory} cannot be read (${cause.code}): --http-cert-path needs tls.crt, ` +
        'tls.key and ca.crt, such as `bourse ca issue broker --server` makes',
      { cause },
    )
  })
}
