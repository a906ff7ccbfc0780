import type { IncomingMessage } from 'node:http'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'

/** No route, and nothing that a router could stumble over. */
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
  // Under this name fastify itself looks for what was asked before it was rewritten.
  Object.assign(raw, { originalUrl: raw.url, url: NOWHERE })
  server.routing(raw, reply.raw)
}

/** Why there was no route to look for; undefined if there was. */
export function whyUnroutable({ raw }: FastifyRequest): FastifyError | undefined {
  return reasons.get(raw)
}
