import { createPrivateKey, type KeyObject, sign, verify, type X509Certificate } from 'node:crypto'

/** A message between agents, signed as a whole, so that no part can be replaced. */
export type Payload = Readonly<{
  session: string
  step: string
  from: string
  to: string
  body: unknown
  /** Milliseconds since 1970, by the sender's clock. */
  sealedAt: number
  expiresAt: number
}>

export type Envelope = Readonly<{
  /** base64url of the payload's JSON; what is signed is this text. */
  payload: string
  signature: string
  /** PEM, the sender's own first. */
  certificates: string
}>

/** The same key also signs TLS handshakes; this prefix keeps the signatures apart. */
const PURPOSE = 'bourse peering v1\n'
const RSA_BITS_MIN = 2_048

export function sealEnvelope(payload: Payload, own: { key: string; certificates: string }): string {
  const text = Buffer.from(JSON.stringify(payload)).toString('base64url')
  const key = createPrivateKey(own.key)
  const signature = sign(digestOf(key), signedBytes(text), key).toString('base64url')
  const envelope: Envelope = { payload: text, signature, certificates: own.certificates }
  return JSON.stringify(envelope)
}

/** Throws if it is not JSON. */
export function parseEnvelope(sealed: string): Envelope | undefined {
  const parsed: unknown = JSON.parse(sealed)
  if (!isTable(parsed)) return undefined
  const { payload, signature, certificates } = parsed
  if (typeof payload !== 'string' || typeof signature !== 'string') return undefined
  return typeof certificates === 'string' ? { payload, signature, certificates } : undefined
}

/** Throws if it is not JSON. Only for a payload with a verified signature. */
export function parsePayload({ payload }: Envelope): Payload | undefined {
  const parsed: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
  if (!isTable(parsed)) return undefined
  const { session, step, from, to, body, sealedAt, expiresAt } = parsed
  if (typeof session !== 'string' || typeof step !== 'string') return undefined
  if (typeof from !== 'string' || typeof to !== 'string') return undefined
  if (typeof sealedAt !== 'number' || typeof expiresAt !== 'number') return undefined
  return { session, step, from, to, body, sealedAt, expiresAt }
}

export function isGenuine({ payload, signature }: Envelope, signer: X509Certificate): boolean {
  const { publicKey } = signer
  const bytes = Buffer.from(signature, 'base64url')
  return verify(digestOf(publicKey), signedBytes(payload), publicKey, bytes)
}

/** RSA, P-256 and its kin, Ed25519 and Ed448; what TLS would not take either is too weak. */
export function isStrong({ publicKey }: X509Certificate): boolean {
  const { asymmetricKeyType, asymmetricKeyDetails } = publicKey
  switch (asymmetricKeyType) {
    case 'rsa':
    case 'rsa-pss':
      return (asymmetricKeyDetails?.modulusLength ?? 0) >= RSA_BITS_MIN
    case 'ec':
    case 'ed25519':
    case 'ed448':
      return true
    default:
      return false
  }
}

function signedBytes(payload: string): Buffer {
  return Buffer.from(`${PURPOSE}${payload}`)
}

/** Edwards curves have a digest of their own. */
function digestOf({ asymmetricKeyType }: KeyObject): 'sha256' | null {
  return asymmetricKeyType === 'ed25519' || asymmetricKeyType === 'ed448' ? null : 'sha256'
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
