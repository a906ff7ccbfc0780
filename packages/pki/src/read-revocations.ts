// @peculiar/x509 registers its algorithms by decorators and needs this first.
import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import * as x509 from '@peculiar/x509'
import type { Revocations } from './revocations.ts'

export async function readLists(
  file: Buffer,
  authorities: readonly Buffer[],
  now: number,
): Promise<Revocations> {
  const lists = splitLists(file)
  if (lists.length === 0) throw new Error(`crl.pem does not contain a revocation list: ${REMEDY}`)
  const issuers = authorities.map((raw) => new x509.X509Certificate(raw))
  for (const list of lists) await verify(list, issuers)
  const revoked = new Set(
    lists.flatMap((list) =>
      list.entries.map(({ serialNumber }) => keyOf(list.issuerName, serialNumber)),
    ),
  )
  const isCovered = (issuer: x509.X509Certificate) =>
    lists.some((list) => hexOf(list.issuerName) === hexOf(issuer.subjectName))
  const isInForce = ({ nextUpdate }: x509.X509Crl) => !nextUpdate || nextUpdate.getTime() > now
  // OpenSSL refuses all clients if a list is out of date or an authority has none. Then only the
  // check on each request remains.
  const fitsHandshake = lists.every(isInForce) && issuers.every(isCovered)
  return {
    count: revoked.size,
    isRevoked: (certificate) => revoked.has(certificateKey(certificate)),
    ...(fitsHandshake && { handshakeList: toPem(lists) }),
  }
}

/** The key of a certificate's entry in a list. */
function certificateKey(der: Buffer): string {
  const certificate = new x509.X509Certificate(der)
  return keyOf(certificate.issuerName, certificate.serialNumber)
}

function toPem(lists: readonly x509.X509Crl[]): string {
  return lists.map(({ rawData }) => x509.PemConverter.encode(rawData, 'X509 CRL')).join('\n')
}

const REMEDY =
  'copy the whole list there again, in PEM or DER, or remove the file if nothing is revoked'

function splitLists(file: Buffer): x509.X509Crl[] {
  if (file.length === 0) throw new Error(`crl.pem is empty: ${REMEDY}`)
  try {
    const text = file.toString('latin1')
    const blocks = text.includes('-----BEGIN') ? x509.PemConverter.decode(text) : [file]
    return blocks.map((block) => new x509.X509Crl(block))
  } catch (cause) {
    throw new Error(`crl.pem is not a revocation list, or is incomplete: ${REMEDY}`, { cause })
  }
}

async function verify(list: x509.X509Crl, issuers: readonly x509.X509Certificate[]): Promise<void> {
  for (const issuer of issuers) {
    if (hexOf(issuer.subjectName) !== hexOf(list.issuerName)) continue
    if (await list.verify({ publicKey: issuer.publicKey }, webcrypto)) return
  }
  throw new Error(
    `crl.pem has a list of ${list.issuer} that is not signed by an authority in ca.crt`,
  )
}

function keyOf(issuer: x509.Name, serialNumber: string): string {
  // Some encoders write leading zeros, others do not.
  return `${hexOf(issuer)}:${serialNumber.toLowerCase().replace(/^0+/, '')}`
}

function hexOf(name: x509.Name): string {
  return Buffer.from(name.toArrayBuffer()).toString('hex')
}
