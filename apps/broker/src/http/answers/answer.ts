import { INDEX_HEADER } from '@bourse/contract'
import type { FastifyReply } from 'fastify'

/** Sends what was read or decided, with the journal index that it reflects. */
export function answer(reply: FastifyReply, index: number, body: unknown): void {
  // Not returned: awaiting a reply would wait for it a second time.
  reply.header(INDEX_HEADER, index).send(body)
}
