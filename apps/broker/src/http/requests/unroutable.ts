import type { IncomingMessage } from 'node:http'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'

/** Not a route, and readable to the router. */
const NOWHERE = '/unroutable'

const reasons = new WeakMap<IncomingMessage, FastifyError>()

/**
 * The router would answer an address that it cannot read before any hook runs. Such a request is
 * routed again to an unknown route, so its caller is identified, admitted, counted and logged.
 */
export function leadNowhere(
  reason: FastifyError,
  { raw, server }: FastifyRequest,
  reply: FastifyReply,
): void {
  reasons.set(raw, reason)
  // Fastify reads the address before the rewrite from `originalUrl`.
  Object.assign(raw, { originalUrl: raw.url, url: NOWHERE })
  server.routing(raw, reply.raw)
}

/** Why there was no route to look for; undefined if there was. */
export function whyUnroutable({ raw }: FastifyRequest): FastifyError | undefined {
  return reasons.get(raw)
}
