import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createCertificateFiles } from '@bourse/client'
import { SEALED_LENGTH_MAX } from '@bourse/contract/limits'
import type { Clock } from '@bourse/kube'
import { findCertificatePath } from '@bourse/pki/certificate-path'
import { noRevocations, type Revocations, readRevocations } from '@bourse/pki/revocations'
import { type Envelope, isGenuine, isStrong, parseEnvelope, sealEnvelope } from './envelope.ts'
import { type Expected, type Opened, type Refused, readPayload, refused } from './opened.ts'

export type Message = Expected &
  Readonly<{
    /** JSON. */
    body: unknown
    expiresInMs: number
  }>

export type Seals = ReturnType<typeof createSeals>

type Ports = Readonly<{
  /** Directory with tls.crt, tls.key, ca.crt and maybe crl.pem; read again when they change. */
  certPath: string
  clock: Pick<Clock, 'now'>
}>

/** How far the clocks of a federation may differ. */
const SKEW_MS = 5 * 60_000
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2'
const ANY_USAGE = '2.5.29.37.0'
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g
/** The sender's own, and authorities above it. */
const CERTIFICATES_MAX = 4

/** Messages that a broker can carry, but cannot forge, change or replay. */
export function createSeals({ certPath, clock: { now } }: Ports) {
  const files = createCertificateFiles(certPath, now)
  let known: Readonly<{ read: Buffer; revocations: Revocations }> | undefined

  return { seal, open }

  /** Signed with this cluster's own key. Throws if it is too large. */
  async function seal({ expiresInMs, ...message }: Message): Promise<string> {
    const { cert, key } = await files.current()
    const sealedAt = now()
    const payload = { ...message, sealedAt, expiresAt: sealedAt + expiresInMs }
    const certificates = blocksIn(cert).slice(0, CERTIFICATES_MAX).join('\n')
    const sealed = sealEnvelope(payload, { key, certificates })
    if (sealed.length <= SEALED_LENGTH_MAX) return sealed
    throw new RangeError(
      `The message '${message.step}' to ${message.to} has ${sealed.length} characters, but ` +
        `at most ${SEALED_LENGTH_MAX} are allowed: is the chain in tls.crt needed?`,
    )
  }

  /** Refuses, with a reason, a message that `expected.from` did not send in this session and step. */
  async function open(sealed: string, expected: Expected): Promise<Opened> {
    if (sealed.length > SEALED_LENGTH_MAX) return refused('Malformed', 'It is too long.')
    const envelope = await attempt(() => parseEnvelope(sealed))
    if (!envelope) return refused('Malformed', 'It is not a sealed message.')
    const presented = await attempt(() => presentedIn(envelope))
    const [signer] = presented ?? []
    if (!presented || !signer) return refused('Malformed', 'Its certificates cannot be read.')
    return (
      flawOfSigner(signer, expected) ??
      (await flawOfTrust(presented)) ??
      (await flawOfSignature(envelope, signer)) ??
      // The payload is not parsed before its signature is verified.
      attempt(() => readPayload(envelope, expected, { now: now(), skewMs: SKEW_MS })).then(
        (opened) => opened ?? refused('Malformed', 'The signed payload is not a message.'),
      )
    )
  }

  async function flawOfTrust(presented: readonly X509Certificate[]): Promise<Refused | undefined> {
    const authorities = certificatesIn((await files.current()).ca)
    const found = await findCertificatePath(presented, { authorities, now: now(), skewMs: SKEW_MS })
    if (found.kind === 'refused') return refused(found.reason, found.message)
    const { isRevoked } = await revocations(authorities)
    const revoked = found.path.find(({ raw }) => isRevoked(raw))
    return revoked && refused('Revoked', `${revoked.subject} has been revoked.`)
  }

  /** An unreadable list is a fault: without it no signer can be trusted. */
  async function revocations(authorities: readonly X509Certificate[]) {
    const list = await readIfThere(join(certPath, 'crl.pem'))
    if (!list) return noRevocations
    const raw = authorities.map((one) => one.raw)
    const read = Buffer.concat([list, ...raw])
    // A list may be long, and the same message is opened again at every turn.
    if (!known?.read.equals(read))
      known = { read, revocations: await readRevocations(list, raw, now()) }
    return known.revocations
  }
}

function flawOfSigner(signer: X509Certificate, { from }: Expected): Refused | undefined {
  const names = [signer.toLegacyObject().subject?.CN ?? []].flat()
  if (names.length !== 1 || names[0] !== from)
    return refused(
      'WrongSigner',
      `It is signed by ${names.join(', ') || 'an unknown signer'}, not ${from}.`,
    )
  const usages: readonly string[] | undefined = signer.keyUsage
  if (usages && !usages.includes(CLIENT_AUTH) && !usages.includes(ANY_USAGE))
    return refused('WrongSigner', `The certificate of ${from} is not a client certificate.`)
  if (!isStrong(signer)) return refused('WrongSigner', `The key of ${from} is too weak.`)
  return undefined
}

async function flawOfSignature(
  envelope: Envelope,
  signer: X509Certificate,
): Promise<Refused | undefined> {
  if (await attempt(() => isGenuine(envelope, signer))) return undefined
  return refused('Altered', 'The signature does not match: it was changed in transit.')
}

/** Foreign input: invalid text gives undefined. */
function attempt<T>(read: () => T): Promise<T | undefined> {
  return Promise.resolve()
    .then(read)
    .catch(() => undefined)
}

function presentedIn({ certificates }: Envelope): X509Certificate[] {
  return certificatesIn(certificates).slice(0, CERTIFICATES_MAX)
}

function certificatesIn(pem: string): X509Certificate[] {
  return blocksIn(pem).map((block) => new X509Certificate(block))
}

function blocksIn(pem: string): readonly string[] {
  return pem.match(CERTIFICATE) ?? []
}

function readIfThere(path: string): Promise<Buffer | undefined> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
}
