import { createPublicKey, type KeyObject, sign } from 'node:crypto'
import { bitString, context0, integer, nothing, oid, sequence, set, utf8 } from './der.ts'

type Subject = Readonly<{ commonName: string; organization: string }>

const COMMON_NAME = '2.5.4.3'
const ORGANIZATION = '2.5.4.10'

/** The kinds of keys that Liqo makes: Ed25519 by default, RSA in its compatibility mode. */
const ALGORITHMS = {
  ed25519: { identifier: sequence(oid('1.3.101.112')), digest: null },
  rsa: { identifier: sequence(oid('1.2.840.113549.1.1.11'), nothing()), digest: 'sha256' },
  ec: { identifier: sequence(oid('1.2.840.10045.4.3.2')), digest: 'sha256' },
} as const

/** PKCS#10, as PEM: asks whoever reads it to certify that this key is the subject's. */
export function certificateRequest(key: KeyObject, subject: Subject): string {
  const { identifier, digest } = algorithmOf(key)
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' })
  const wanted = sequence(integer(0), nameOf(subject), publicKey, context0())
  const signature = bitString(sign(digest, wanted, key))
  return pem(sequence(wanted, identifier, signature))
}

function algorithmOf({ asymmetricKeyType: type }: KeyObject) {
  if (type === 'ed25519' || type === 'rsa' || type === 'ec') return ALGORITHMS[type]
  throw new Error(`A key of type ${type} cannot be certified: use Ed25519, RSA or P-256.`)
}

function nameOf({ commonName, organization }: Subject): Buffer {
  const part = (type: string, value: string) => set(sequence(oid(type), utf8(value)))
  return sequence(part(ORGANIZATION, organization), part(COMMON_NAME, commonName))
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  const label = 'CERTIFICATE REQUEST'
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n')
}
