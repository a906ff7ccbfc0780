/** The revoked certificates. */
export type Revocations = Readonly<{
  count: number
  isRevoked(certificate: Buffer): boolean
  /** The lists for Node's TLS, if the handshake can check them as well. */
  handshakeList?: string
}>

/** Reads `crl.pem`: one or several lists in PEM, or one in DER. Throws if it is invalid. */
export async function readRevocations(
  file: Buffer,
  authorities: readonly Buffer[],
  now: number,
): Promise<Revocations> {
  // Loaded only when needed: the library takes about 20 MB.
  const { readLists } = await import('./read-revocations.ts')
  return readLists(file, authorities, now)
}

export const noRevocations: Revocations = { count: 0, isRevoked: () => false }
