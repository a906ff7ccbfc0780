import 'reflect-metadata'
import { type webcrypto, X509Certificate } from 'node:crypto'
import * as x509 from '@peculiar/x509'
import { describe, expect, it } from 'vitest'
import { makeLeaf, makeRoot } from './certificate-maker.ts'
import { findCertificatePath } from './certificate-path.ts'

const NOW = new Date('2026-11-15T12:00:00Z')
const DAY_MS = 86_400_000
const EC = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const validity = { from: NOW, days: 30 }
const trust = { now: NOW.getTime(), skewMs: 300_000 }

type Signer = Readonly<{ certificate: x509.X509Certificate; keys: webcrypto.CryptoKeyPair }>

async function anAuthority(name: string, pathLength?: number, above?: Signer): Promise<Signer> {
  const keys = await crypto.subtle.generateKey(EC, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: '01',
    subject: `CN=${name}`,
    issuer: above?.certificate.subject ?? `CN=${name}`,
    notBefore: NOW,
    notAfter: new Date(NOW.getTime() + 30 * DAY_MS),
    signingAlgorithm: EC,
    publicKey: keys.publicKey,
    signingKey: (above?.keys ?? keys).privateKey,
    extensions: [new x509.BasicConstraintsExtension(true, pathLength, true)],
  })
  return { certificate, keys }
}

async function aLeafOf(above: Signer): Promise<X509Certificate> {
  const key = x509.PemConverter.encode(
    await crypto.subtle.exportKey('pkcs8', above.keys.privateKey),
    'PRIVATE KEY',
  )
  const pair = { certificate: above.certificate.toString('pem'), key }
  const leaf = { commonName: 'rome', usages: ['client'] as const }
  return new X509Certificate((await makeLeaf(pair, leaf, { keyType: 'ec', validity })).certificate)
}

function read({ certificate }: Signer): X509Certificate {
  return new X509Certificate(certificate.toString('pem'))
}

describe('findCertificatePath', () => {
  it('finds the way over the authorities between', async () => {
    const root = await anAuthority('root')
    const middle = await anAuthority('middle', 0, root)
    const leaf = await aLeafOf(middle)

    const found = await findCertificatePath([leaf, read(middle)], {
      ...trust,
      authorities: [read(root)],
    })

    const path = found.kind === 'trusted' ? found.path.map(({ subject }) => subject) : found
    expect(path).toEqual(['CN=rome', 'CN=middle', 'CN=root'])
  })

  it('finds no path through an authority that may not have others below it', async () => {
    const root = await anAuthority('root', 0)
    const middle = await anAuthority('middle', undefined, root)
    const leaf = await aLeafOf(middle)

    const found = await findCertificatePath([leaf, read(middle)], {
      ...trust,
      authorities: [read(root)],
    })

    expect(found).toEqual({
      kind: 'refused',
      reason: 'Untrusted',
      message: 'CN=root may not issue CN=middle.',
    })
  })

  it('finds no path through a certificate that is not an authority', async () => {
    const root = await makeRoot('root', 'ec', validity)
    const rome = { commonName: 'rome', usages: ['client'] as const }
    const leaf = await makeLeaf(root, rome, { keyType: 'ec', validity })
    const forged = await makeLeaf(
      leaf,
      { commonName: 'paris', usages: ['client'] },
      { keyType: 'ec', validity },
    )

    const found = await findCertificatePath(
      [new X509Certificate(forged.certificate), new X509Certificate(leaf.certificate)],
      { ...trust, authorities: [new X509Certificate(root.certificate)] },
    )

    expect(found).toMatchObject({ kind: 'refused', reason: 'Untrusted' })
  })

  it('refuses an authority of the same name with another key', async () => {
    const ours = await anAuthority('root')
    const theirs = await anAuthority('root')
    const leaf = await aLeafOf(theirs)

    const found = await findCertificatePath([leaf], { ...trust, authorities: [read(ours)] })

    expect(found).toEqual({
      kind: 'refused',
      reason: 'Untrusted',
      message: 'No authority in ca.crt has issued CN=rome.',
    })
  })

  it('ends with the validity of the authority, not only of the leaf', async () => {
    const root = await anAuthority('root')
    const leaf = await aLeafOf(root)

    const found = await findCertificatePath([leaf], {
      authorities: [read(root)],
      now: NOW.getTime() + 31 * DAY_MS,
      skewMs: 300_000,
    })

    expect(found).toMatchObject({ kind: 'refused', reason: 'CertificateExpired' })
  })
})
