import type { ServerResponse } from 'node:http'
import { INDEX_HEADER, LEDGER_HEADER, PROOF_HEADER, type StreamEvent } from '@bourse/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isoOf } from '../doors/moments.ts'
import type { NoteOf } from '../doors/provider-notes.ts'
import { querySchema } from './answer.ts'
import type { IsStillWelcome } from './authenticate.ts'
import { knownCaller } from './caller.ts'
import { createEventReader, type EventReader } from './event-reader.ts'
import type { EventRing } from './event-ring.ts'
import { createEventTexts } from './event-text.ts'
import { createFieldCheck } from './field-check.ts'
import type { LongPolls } from './long-polls.ts'

type Ports = Readonly<{
  ring: EventRing
  polls: Pick<LongPolls, 'enter' | 'leave'>
  ledgerId: string
  index(): number
  proof(): string
  now(): number
  date(): string
  noteOf: NoteOf
  isWelcome: IsStillWelcome
  /** Nobody else tells of an answer that fastify has no part in. */
  tell(request: FastifyRequest, status: number): void
}>

type Query = Readonly<{ after?: string }>
export type EventStreams = Readonly<{ endAll(): void; count(): number }>

const HEARTBEAT_MS = 15_000

/** Server-sent events: what was committed, to those whom it concerns. */
export function eventStreamRoutes(server: FastifyInstance, ports: Ports): EventStreams {
  const { ring, polls } = ports
  const textOf = createEventTexts(ports.noteOf)
  const open = new Map<ServerResponse, EventReader>()

  server.get<{ Querystring: Query }>(
    '/events',
    { schema: { querystring: querySchema('after') } },
    async (request, reply) => {
      const caller = knownCaller(request)
      const after = resumeIndex(request.headers['last-event-id'], request.query)
      polls.enter(caller.id)
      reply.hijack()
      begin(reply.raw, request, after ?? ports.index())
      ports.tell(request, reply.raw.statusCode)
    },
  )

  const heartbeat = setInterval(() => {
    for (const reader of open.values()) reader.beat()
  }, HEARTBEAT_MS)
  heartbeat.unref()
  server.addHook('onClose', async () => clearInterval(heartbeat))

  function begin(response: ServerResponse, request: FastifyRequest, after: number): void {
    const caller = knownCaller(request)
    const isWelcome = () => ports.isWelcome(request)
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      // A stream that ends takes its connection along: it may be from before a change.
      connection: 'close',
      [LEDGER_HEADER]: ports.ledgerId,
      [INDEX_HEADER]: ports.index(),
      [PROOF_HEADER]: ports.proof(),
      date: ports.date(),
    })
    const reader = createEventReader(response, {
      ...{ ring, textOf, caller, after, isWelcome, resetAfter },
    })
    const stop = ring.listen(reader.pump)
    open.set(response, reader)
    response.once('close', () => {
      stop()
      open.delete(response)
      polls.leave(caller.id)
    })
    reader.beat()
    reader.pump()
  }

  function resetAfter(after: number): StreamEvent {
    const index = ports.index()
    const why =
      after > index
        ? `The ledger is at index ${index}, before ${after}`
        : 'Some events are no longer kept'
    const message = `${why}: read the lists again, this stream begins now.`
    return { kind: 'reset', index, at: isoOf(ports.now()), message }
  }

  function endAll(): void {
    for (const response of open.keys()) response.end()
  }
  return { endAll, count: () => open.size }
}

/** The header is the newer one: browsers send it when they reconnect to the same address. */
function resumeIndex(lastId: string | string[] | undefined, { after }: Query): number | undefined {
  const [path, written] = lastId ? ['Last-Event-ID', lastId] : ['after', after]
  if (written === undefined || written === '') return undefined
  const index = Number(written)
  if (Number.isSafeInteger(index) && index >= 0) return index
  const check = createFieldCheck()
  check.add(path, `'${written}' is not an index`)
  check.done()
  return undefined
}
