import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import {
  AdvertisementInput,
  BODY_BYTES_MAX,
  ReservationRequest,
  validationSchema,
} from '@bourse/contract'
import { identityIn } from '@bourse/testkit/identity'
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import type { FloorOrder } from './floor.ts'

/**
 * The floor: fastify over mutual TLS that validates a body and echoes it, stretched to the size
 * that the broker answers with. What the broker needs beyond this is the price of being a broker.
 */
// Sent by `startFloor`.
const [{ certificates, replyBytes }] = (await once(process, 'message')) as [FloorOrder]
const server = Fastify({
  https: {
    ...identityIn(certificates),
    requestCert: true,
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
  },
  bodyLimit: BODY_BYTES_MAX,
  ajv: { customOptions: { coerceTypes: false, removeAdditional: false, strict: false } },
})
server.post(
  '/api/v1/reservations',
  { schema: { body: validationSchema(ReservationRequest) } },
  echo(201, replyBytes.reservation),
)
server.post(
  '/api/v1/advertisements',
  { schema: { body: validationSchema(AdvertisementInput) } },
  echo(200, replyBytes.advertisement),
)
await server.listen({ host: '127.0.0.1', port: 0 })
process.send?.({ port: (server.server.address() as AddressInfo).port })

function echo(status: number, bytes: number) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    // The request's own bytes count; quotes, name and comma of the padding are 13.
    const length = Number(request.headers['content-length']) + 13
    const padding = 'x'.repeat(Math.max(0, bytes - length))
    return reply.code(status).send({ ...(request.body as object), padding })
  }
}
