import { INDEX_HEADER, LEDGER_HEADER, PROOF_HEADER, TERM_HEADER } from '@bourse/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'

type Ports = Readonly<{
  ledgerId: string
  term: string
  index(): number
  proof(): string
  date(): string
  /** Whether this connection has to end with this answer. */
  isLast(request: FastifyRequest): boolean
}>

/** contract: every answer, errors included, says which ledger at which index it comes from. */
export function answerHeaders(server: FastifyInstance, ports: Ports): void {
  const { ledgerId, term, index, proof, date, isLast } = ports
  server.addHook('onSend', (request, reply, payload, done) => {
    reply.header(LEDGER_HEADER, ledgerId)
    reply.header(TERM_HEADER, term)
    if (!reply.hasHeader(INDEX_HEADER)) reply.header(INDEX_HEADER, index())
    reply.header(PROOF_HEADER, proof())
    // Agents count expiry by the broker's clock, which is in this header.
    reply.header('date', date())
    if (isLast(request)) reply.header('connection', 'close')
    done(null, payload)
  })
}

/** The Date header changes once a second; formatting it for every answer would be a waste. */
export function createDateHeader(now: () => number): () => string {
  let second = Number.NaN
  let text = ''
  return () => {
    const current = Math.floor(now() / 1_000)
    if (current !== second) {
      second = current
      text = new Date(current * 1_000).toUTCString()
    }
    return text
  }
}
