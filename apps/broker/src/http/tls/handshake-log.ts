import { Socket } from 'node:net'
import type { Server, TLSSocket } from 'node:tls'
import type { Logger } from 'pino'

/** Lines a minute: enough to find a misconfigured agent, too few to fill a disk. */
const LINES_PER_MINUTE_MAX = 30

const UNKNOWN_AUTHORITY = 'no authority in ca.crt has signed its certificate'

/** OpenSSL's and Node's codes in words that say what the caller has to change. */
const WORDS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate, or one in its chain, has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  CERT_REVOKED: 'its certificate has been revoked',
  CERT_SIGNATURE_FAILURE: UNKNOWN_AUTHORITY,
  CRL_HAS_EXPIRED: 'crl.pem here has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  INVALID_PURPOSE: 'its certificate is not meant for clients (no clientAuth usage)',
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  ERR_SSL_HTTP_REQUEST: 'it speaks plain HTTP',
  ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE: 'it has no certificate',
}

/** A refused handshake never becomes a request: this line is its only trace. */
export function logHandshakes(server: Server, log: Logger): void {
  let minute = 0
  let lines = 0
  // Node remembers an address only if it was read while the connection was open.
  server.on('connection', (socket: Socket) => void socket.remoteAddress)
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket: TLSSocket) => {
    const reason = reasonOf(error, socket)
    if (reason === undefined) return
    const current = Math.floor(performance.now() / 60_000)
    if (current !== minute) lines = 0
    minute = current
    lines += 1
    if (lines > LINES_PER_MINUTE_MAX) return
    const words = WORDS[reason]
    const message = words ? `TLS handshake refused: ${words}` : 'TLS handshake refused'
    log.info({ from: addressOf(socket), reason }, message)
  })
}

/** Undefined for a client that hangs up, or a port scan: that is not news. */
function reasonOf(error: NodeJS.ErrnoException, socket: TLSSocket): string | undefined {
  // Node hangs up on a certificate that it does not accept: the error is then the same as if the
  // client had, and the verdict is found here only, as a code, though its type says Error.
  const { authorizationError: verdict }: Readonly<{ authorizationError: unknown }> = socket
  if (typeof verdict === 'string') return verdict
  return error.code === 'ECONNRESET' ? undefined : (error.code ?? error.message)
}

/**
 * A closed TLS socket has lost its address and its certificate; the plain socket below still has
 * the address. Naming the certificate would mean accepting every connection first.
 */
function addressOf(socket: TLSSocket): string | undefined {
  if (socket.remoteAddress !== undefined) return socket.remoteAddress
  if ('_parent' in socket && socket._parent instanceof Socket) return socket._parent.remoteAddress
  return undefined
}
