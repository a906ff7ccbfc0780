import type { IncomingMessage } from 'node:http'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'

/** No route, and nothing that a router could stumble over. */
const NOWHERE = '/unroutable'

const reasons = new WeakMap<IncomingMessage, FastifyError>()

/**
 * An address that the router cannot read would be answered before any hook has run. It is sent
 * round again, as one that leads nowhere: so its caller is identified, admitted, counted, logged
 * and answered like everybody else.
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
