import type { X509Certificate } from 'node:crypto'

export type CertificatePath =
  /** From the leaf to the trusted authority. */
  | Readonly<{ kind: 'trusted'; path: readonly X509Certificate[] }>
  | Readonly<{ kind: 'refused'; reason: 'Untrusted' | 'CertificateExpired'; message: string }>

type Trust = Readonly<{
  authorities: readonly X509Certificate[]
  now: number
  /** How far the clocks of a federation may differ. */
  skewMs: number
}>

/** Authorities between a leaf and the trusted one; more are never needed. */
const BETWEEN_MAX = 3

/** Whether the first certificate was issued by a trusted authority, maybe through the others. */
export async function findCertificatePath(
  presented: readonly X509Certificate[],
  { authorities, now, skewMs }: Trust,
): Promise<CertificatePath> {
  const [leaf, ...between] = presented
  if (!leaf) return refused('Untrusted', 'No certificate was presented.')
  const path = [leaf]
  let last = leaf
  while (path.length <= BETWEEN_MAX + 1) {
    const trusted = issuerOf(last, authorities)
    const issuer = trusted ?? issuerOf(last, between)
    if (!issuer) return refused('Untrusted', `No authority in ca.crt has issued ${nameOf(leaf)}.`)
    const below = path.length - 1
    if ((!trusted || below > 0) && !(await mayIssue(issuer, below)))
      return refused('Untrusted', `${nameOf(issuer)} may not issue ${nameOf(last)}.`)
    path.push(issuer)
    if (trusted) return inForce(path, now, skewMs)
    last = issuer
  }
  return refused('Untrusted', `There are too many authorities above ${nameOf(leaf)}.`)
}

function issuerOf(
  certificate: X509Certificate,
  candidates: readonly X509Certificate[],
): X509Certificate | undefined {
  return candidates.find((one) => certificate.checkIssued(one) && certificate.verify(one.publicKey))
}

function inForce(path: readonly X509Certificate[], now: number, skewMs: number): CertificatePath {
  const outside = path.find(
    ({ validFromDate, validToDate }) =>
      now + skewMs < validFromDate.getTime() || now - skewMs > validToDate.getTime(),
  )
  if (!outside) return { kind: 'trusted', path }
  const { validFromDate, validToDate } = outside
  const period = `from ${validFromDate.toISOString()} to ${validToDate.toISOString()}`
  return refused('CertificateExpired', `${nameOf(outside)} is only valid ${period}.`)
}

/** `below`: the number of authorities between it and the leaf. */
async function mayIssue(authority: X509Certificate, below: number): Promise<boolean> {
  if (!authority.ca) return false
  // Loaded only when needed: the library takes about 20 MB.
  const { pathLengthOf } = await import('./path-length.ts')
  return below <= pathLengthOf(authority.raw)
}

function nameOf({ subject }: X509Certificate): string {
  return subject.replaceAll('\n', ', ')
}

function refused(
  reason: 'Untrusted' | 'CertificateExpired',
  message: string,
): CertificatePath & { kind: 'refused' } {
  return { kind: 'refused', reason, message }
}
