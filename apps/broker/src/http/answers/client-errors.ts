import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import {
  type ErrorCode,
  errorCodes,
  INDEX_HEADER,
  LEDGER_HEADER,
  PROBLEM_MEDIA_TYPE,
  TERM_HEADER,
} from '@bourse/contract'
import { BrokerError } from '../errors/broker-error.ts'
import { problemOf } from './error-reply.ts'

type Ports = Readonly<{ ledgerId: string; term: string; index(): number; date(): string }>
type ParseError = Error & { code?: string }

const parserCodes: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'HeadersTooLarge',
  ERR_HTTP_REQUEST_TIMEOUT: 'RequestTimeout',
  // Node pauses a connection whose answers pile up, and the client sends even more requests.
  HPE_PAUSED: 'RateLimited',
}

const details: Readonly<Partial<Record<ErrorCode, string>>> = {
  InvalidRequest: 'This is not an HTTP request.',
  RateLimited: 'Too many requests on one connection wait for their answers: read those first.',
}

/** Answers what never became a request: too large a header, too slow a client, no HTTP at all. */
export function createClientErrorAnswer({ ledgerId, term, index, date }: Ports) {
  return (error: ParseError, socket: Socket): void => {
    // Before the handshake is done no answer can be sent, and `end` would wait for ever.
    const isInHandshake = socket instanceof TLSSocket && !socket.authorized
    if (error.code === 'ECONNRESET' || !socket.writable || isInHandshake) {
      socket.destroy()
      return
    }
    const code = parserCodes[error.code ?? ''] ?? 'InvalidRequest'
    const { status } = errorCodes[code]
    const body = JSON.stringify(problemOf(new BrokerError(code, details[code])))
    const lines = [
      `HTTP/1.1 ${status} ${code}`,
      `Date: ${date()}`,
      `${LEDGER_HEADER}: ${ledgerId}`,
      `${INDEX_HEADER}: ${index()}`,
      `${TERM_HEADER}: ${term}`,
      `Content-Type: ${PROBLEM_MEDIA_TYPE}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...(code === 'RateLimited' ? ['Retry-After: 1'] : []),
      'Connection: close',
    ]
    socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`)
  }
}
