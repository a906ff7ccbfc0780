import { type Envelope, type Payload, parsePayload } from './envelope.ts'

/** What a message must be about, from a source other than the broker. */
export type Expected = Readonly<{ session: string; step: string; from: string; to: string }>

export type RefusalReason =
  | 'Malformed'
  /** No authority in ca.crt has issued the signer's certificate. */
  | 'Untrusted'
  | 'CertificateExpired'
  | 'Revoked'
  /** A certificate of the federation, but not that of the cluster that is expected to speak. */
  | 'WrongSigner'
  | 'Altered'
  /** Genuine, but of another session, another step, another sender or another recipient. */
  | 'Replayed'
  | 'Expired'
  /** Sealed later than now: one of the clocks is wrong. */
  | 'FromTheFuture'

export type Refused = Readonly<{ kind: 'refused'; reason: RefusalReason; message: string }>
export type Opened = Readonly<{ kind: 'genuine'; body: unknown }> | Refused

/** Of a payload whose signature is known to be genuine. Throws if it is not JSON. */
export function readPayload(
  envelope: Envelope,
  expected: Expected,
  clock: Readonly<{ now: number; skewMs: number }>,
): Opened {
  const payload = parsePayload(envelope)
  if (!payload) return refused('Malformed', 'The signed payload is not a message.')
  return (
    flawOfPlace(payload, expected) ??
    flawOfTime(payload, clock) ?? { kind: 'genuine', body: payload.body }
  )
}

function flawOfPlace(payload: Payload, expected: Expected): Refused | undefined {
  const fields = ['session', 'step', 'from', 'to'] as const
  const other = fields.find((field) => payload[field] !== expected[field])
  if (!other) return undefined
  const said = `${other} ${JSON.stringify(payload[other])}`
  return refused('Replayed', `It was sealed for ${said}, not ${JSON.stringify(expected[other])}.`)
}

function flawOfTime(
  { sealedAt, expiresAt }: Payload,
  { now, skewMs }: Readonly<{ now: number; skewMs: number }>,
): Refused | undefined {
  if (now > expiresAt + skewMs)
    return refused('Expired', `It expired at ${new Date(expiresAt).toISOString()}.`)
  if (now < sealedAt - skewMs)
    return refused(
      'FromTheFuture',
      `It was sealed at ${new Date(sealedAt).toISOString()}: compare the clocks of both clusters.`,
    )
  return undefined
}

export function refused(reason: RefusalReason, message: string): Refused {
  return { kind: 'refused', reason, message }
}
