/** Who must not be believed any more. */
export type Revocations = Readonly<{
  count: number
  isRevoked(certificate: Buffer): boolean
  /** The lists as node's TLS takes them, if the handshake can check them too. */
  handshakeList?: string
}>

/** Reads `crl.pem`: PEM with one or several lists, or one in DER. Throws what is wrong with it. */
export async function readRevocations(
  file: Buffer,
  authorities: readonly Buffer[],
  now: number,
): Promise<Revocations> {
  // Loaded only where there is a list: what reads it takes some 20 MB.
  const { readLists } = await import('./read-revocations.ts')
  return readLists(file, authorities, now)
}

export const nobodyRevoked: Revocations = { count: 0, isRevoked: () => false }
