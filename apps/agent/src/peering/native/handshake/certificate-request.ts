import { createPublicKey, type KeyObject, sign } from 'node:crypto'
import { bitString, context0, integer, nothing, oid, sequence, set, utf8 } from './der.ts'

type Subject = Readonly<{ commonName: string; organization: string }>

/** The user and group that Liqo gives the control plane of another cluster. */
export function peerSubject(liqoId: string): Subject {
  return { commonName: liqoId, organization: 'liqo.io' }
}

const COMMON_NAME = '2.5.4.3'
const ORGANIZATION = '2.5.4.10'

/** The kinds of keys that Liqo makes: Ed25519 by default, RSA in its compatibility mode. */
const ALGORITHMS = {
  ed25519: { identifier: sequence(oid('1.3.101.112')), digest: null },
  rsa: { identifier: sequence(oid('1.2.840.113549.1.1.11'), nothing()), digest: 'sha256' },
  ec: { identifier: sequence(oid('1.2.840.10045.4.3.2')), digest: 'sha256' },
} as const

/** PKCS#10, as PEM: asks to certify that this key is the subject's. */
export function certificateRequest(key: KeyObject, subject: Subject): string {
  const { identifier, digest } = algorithmOf(key)
  const wanted = wantedFor(createPublicKey(key), subject)
  const signature = bitString(sign(digest, wanted, key))
  return pem(sequence(wanted, identifier, signature))
}

/**
 * Whether this asks for that subject and nothing else, as an agent does. Of the groups that a
 * request names Liqo looks at the first one only: a second one could be that of administrators.
 */
export function asksOnlyFor(request: string, publicKey: string, subject: Subject): boolean {
  const body =
    /^-----BEGIN CERTIFICATE REQUEST-----\n([\w+/=\n]+)-----END CERTIFICATE REQUEST-----\n$/
  const der = Buffer.from(body.exec(request)?.[1] ?? '', 'base64')
  const wanted = wantedFor(createPublicKey(publicKey), subject)
  // Behind the tag and the length of the whole, which takes as many bytes as it says.
  const lengthByte = der[1] ?? 0
  const at = 2 + (lengthByte < 0x80 ? 0 : lengthByte & 0x7f)
  return der.subarray(at, at + wanted.length).equals(wanted)
}

function wantedFor(publicKey: KeyObject, subject: Subject): Buffer {
  const key = publicKey.export({ type: 'spki', format: 'der' })
  return sequence(integer(0), nameOf(subject), key, context0())
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
