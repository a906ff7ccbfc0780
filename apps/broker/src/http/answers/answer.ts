import { INDEX_HEADER, type JsonSchema } from '@bourse/contract'
import type { FastifyReply } from 'fastify'

/** Sends what was read or decided, with the journal index that it reflects. */
export function answer(reply: FastifyReply, index: number, body: unknown): void {
  // Not returned: awaiting a reply would wait for it a second time.
  reply.header(INDEX_HEADER, index).send(body)
}

/** Each parameter once, as text; the route checks its value. */
export function querySchema(...names: readonly string[]): JsonSchema {
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
  return { type: 'object', properties }
}
