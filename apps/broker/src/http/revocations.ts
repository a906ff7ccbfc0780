/** Who must not be believed any more. */
export type Revocations = Readonly<{
  count: number
  isRevoked(certificate: Buffer): boolean
  /** The lists as node's TLS takes them, if the handshake can check them too. */
  handshakeList?: string
}>

export const nobodyRevoked: Revocations = { count: 0, isRevoked: () => false }
