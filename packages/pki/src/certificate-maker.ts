// @peculiar/x509 registers its algorithms by decorators and needs this first.
import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import * as x509 from '@peculiar/x509'

export type KeyType = 'ec' | 'rsa' | 'ed25519'

/** A certificate with its private key, both as PEM. */
export type KeyPairPem = Readonly<{ certificate: string; key: string }>

export type Leaf = Readonly<{
  commonName: string
  /** A broker is a server; a cluster and an operator are clients. */
  usages: readonly ('server' | 'client')[]
  /** Several only for Kubernetes, where each is a group. */
  organization?: string | readonly string[]
  dns?: readonly string[]
  ip?: readonly string[]
}>

export type Validity = Readonly<{ from: Date; days: number }>

export type Revoked = Readonly<{ serial: string; at: Date }>

const DAY_MS = 86_400_000
const RSA_BITS = 4_096
/** Clocks differ a little, and a new certificate must be valid everywhere at once. */
const BACKDATE_MS = 5 * 60_000
/** Lists are published by hand, so each stays valid until the next one. */
const CRL_DAYS = 3_650
const USAGES = {
  server: x509.ExtendedKeyUsage.serverAuth,
  client: x509.ExtendedKeyUsage.clientAuth,
} as const

const algorithms = {
  ec: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  rsa: {
    name: 'RSASSA-PKCS1-v1_5',
    modulusLength: RSA_BITS,
    publicExponent: new Uint8Array([1, 0, 1]),
    hash: 'SHA-256',
  },
  ed25519: { name: 'Ed25519' },
} as const

/** The self-signed certificate of the authority. */
export async function makeRoot(
  name: string,
  keyType: KeyType,
  validity: Validity,
): Promise<KeyPairPem> {
  const keys = await generateKeys(keyType)
  const certificate = await x509.X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: newSerial(),
      name: [{ CN: [name] }],
      ...period(validity),
      signingAlgorithm: algorithms[keyType],
      keys,
      extensions: [
        new x509.BasicConstraintsExtension(true, 0, true),
        new x509.KeyUsagesExtension(
          x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign,
          true,
        ),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey, false, webcrypto),
      ],
    },
    webcrypto,
  )
  return { certificate: pemOf(certificate), key: await pemOfKey(keys.privateKey) }
}

export async function makeLeaf(
  root: KeyPairPem,
  leaf: Leaf,
  options: { keyType: KeyType; validity: Validity },
): Promise<KeyPairPem & { serial: string }> {
  const issuer = new x509.X509Certificate(root.certificate)
  const keys = await generateKeys(options.keyType)
  const serial = newSerial()
  const certificate = await x509.X509CertificateGenerator.create(
    {
      serialNumber: serial,
      subject: [
        { CN: [leaf.commonName] },
        ...[leaf.organization ?? []].flat().map((name) => ({ O: [name] })),
      ],
      issuer: issuer.subject,
      ...period(options.validity),
      signingAlgorithm: signingAlgorithmOf(issuer),
      publicKey: keys.publicKey,
      signingKey: await importKey(root.key, issuer),
      extensions: await leafExtensions(leaf, issuer, keys.publicKey),
    },
    webcrypto,
  )
  return { serial, certificate: pemOf(certificate), key: await pemOfKey(keys.privateKey) }
}

/** A certificate revocation list, signed by the authority. */
export async function makeRevocationList(
  root: KeyPairPem,
  revoked: readonly Revoked[],
  now: Date,
): Promise<string> {
  const issuer = new x509.X509Certificate(root.certificate)
  const list = await x509.X509CrlGenerator.create(
    {
      issuer: issuer.subject,
      thisUpdate: new Date(now.getTime() - BACKDATE_MS),
      nextUpdate: new Date(now.getTime() + CRL_DAYS * DAY_MS),
      signingAlgorithm: signingAlgorithmOf(issuer),
      signingKey: await importKey(root.key, issuer),
      entries: revoked.map(({ serial, at }) => ({ serialNumber: serial, revocationDate: at })),
      extensions: [await x509.AuthorityKeyIdentifierExtension.create(issuer, false, webcrypto)],
    },
    webcrypto,
  )
  // The library's own PEM label, "CRL", is unknown to OpenSSL.
  return `${x509.PemConverter.encode(list.rawData, 'X509 CRL')}\n`
}

async function leafExtensions(
  leaf: Leaf,
  issuer: x509.X509Certificate,
  publicKey: webcrypto.CryptoKey,
): Promise<x509.Extension[]> {
  const names = [
    ...(leaf.dns ?? []).map((value) => ({ type: 'dns' as const, value })),
    ...(leaf.ip ?? []).map((value) => ({ type: 'ip' as const, value })),
  ]
  return [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.KeyUsagesExtension(
      x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyEncipherment,
      true,
    ),
    new x509.ExtendedKeyUsageExtension(leaf.usages.map((usage) => USAGES[usage])),
    await x509.SubjectKeyIdentifierExtension.create(publicKey, false, webcrypto),
    await x509.AuthorityKeyIdentifierExtension.create(issuer, false, webcrypto),
    ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names)] : []),
  ]
}

async function generateKeys(keyType: KeyType): Promise<webcrypto.CryptoKeyPair> {
  const keys = await webcrypto.subtle.generateKey(algorithms[keyType], true, ['sign', 'verify'])
  // The types know only of older algorithms that they generate a key pair.
  return keys as webcrypto.CryptoKeyPair
}

/** 127 random bits: positive, and never the same twice. */
function newSerial(): string {
  const bytes = Buffer.from(webcrypto.getRandomValues(new Uint8Array(16)))
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40
  return bytes.toString('hex')
}

function period({ from, days }: Validity) {
  return {
    notBefore: new Date(from.getTime() - BACKDATE_MS),
    notAfter: new Date(from.getTime() + days * DAY_MS),
  }
}

function signingAlgorithmOf(issuer: x509.X509Certificate) {
  const { name } = issuer.publicKey.algorithm
  return Object.values(algorithms).find((one) => one.name === name) ?? algorithms.rsa
}

function importKey(pem: string, issuer: x509.X509Certificate): Promise<webcrypto.CryptoKey> {
  const [pkcs8] = x509.PemConverter.decode(pem)
  if (!pkcs8) throw new Error('ca.key does not contain a PEM block: restore it from your backup.')
  return webcrypto.subtle.importKey('pkcs8', pkcs8, signingAlgorithmOf(issuer), false, ['sign'])
}

function pemOf(certificate: x509.X509Certificate): string {
  return `${certificate.toString('pem')}\n`
}

async function pemOfKey(key: webcrypto.CryptoKey): Promise<string> {
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', key)
  return `${x509.PemConverter.encode(pkcs8, 'PRIVATE KEY')}\n`
}
