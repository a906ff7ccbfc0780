import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type ExplanationPorts, findExplanation } from './explained.ts'
import type { LiveOverview } from './live-overview.ts'
import type { createOverviewStream, StreamClient } from './overview-stream.ts'
import { pageJson } from './page-json.ts'

type Ports = Readonly<{
  live: LiveOverview
  stream: ReturnType<typeof createOverviewStream>
  explanation: ExplanationPorts
}>
type WithId = { Params: { id: string } }

/** A page whose broker restarts tries again this soon. */
const RETRY_MS = 1_000
const ID_LENGTH_MAX = 128

export function addDataRoutes(server: FastifyInstance, ports: Ports): void {
  server.addHook('onSend', async (request, reply) => {
    if (isData(request.routeOptions.url)) reply.header('cache-control', 'no-store')
  })
  server.setReplySerializer(pageJson)
  server.get('/data/overview', () => ports.live.overview())
  server.get('/data/stream', { exposeHeadRoute: false }, (request, reply) =>
    openStream(ports, request, reply),
  )
  server.get<WithId>('/data/reservations/:id/explanation', async ({ params: { id } }, reply) => {
    const explained =
      id.length > ID_LENGTH_MAX ? undefined : await findExplanation(id, ports.explanation)
    if (explained) return explained
    const detail = `Nothing is known about ${id.slice(0, ID_LENGTH_MAX)}.`
    return reply.code(404).type('application/problem+json').send({ status: 404, detail })
  })
}

/** By its route: an address can be spelled in many ways. */
export function isData(route: string | undefined): boolean {
  return route?.startsWith('/data/') ?? false
}

function openStream({ stream }: Ports, request: FastifyRequest, reply: FastifyReply): void {
  const client = toClient(reply.raw)
  if (!stream.join(client)) {
    const detail = 'Too many live pages are open: close some, or try again in a minute.'
    reply.code(503).header('retry-after', 60).send({ status: 503, detail })
    return
  }
  reply.raw.once('close', () => stream.leave(client))
  reply.hijack()
  request.raw.socket.setTimeout(0)
  request.raw.socket.setKeepAlive(true)
  request.raw.socket.setNoDelay(true)
  reply.raw.writeHead(200, {
    ...reply.getHeaders(),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    // Proxies that gather answers would hold the live page back.
    'x-accel-buffering': 'no',
  } as Record<string, string>) // fastify's header type is wider than what was set above
  reply.raw.write(`retry: ${RETRY_MS}\n\n`)
}

function toClient(response: ServerResponse): StreamClient {
  return {
    write: (text) => void response.write(text),
    backlog: () => response.writableLength,
    end: () => void response.end(),
  }
}
