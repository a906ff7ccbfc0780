import type { ServerResponse } from 'node:http'
import { INDEX_HEADER, LEDGER_HEADER, type StreamEvent } from '@bourse/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isoOf } from '../doors/moments.ts'
import type { NoteOf } from '../doors/provider-notes.ts'
import { querySchema } from './answer.ts'
import type { IsStillWelcome } from './authenticate.ts'
import { type Caller, knownCaller } from './caller.ts'
import type { EventRing, Kept } from './event-ring.ts'
import { createFieldCheck } from './field-check.ts'
import type { LongPolls } from './long-polls.ts'
import { maySeeGrounds, partiesOf, toStreamEvent } from './stream-event-reply.ts'

type Ports = Readonly<{
  ring: EventRing
  polls: Pick<LongPolls, 'enter' | 'leave'>
  ledgerId: string
  index(): number
  now(): number
  date(): string
  noteOf: NoteOf
  isWelcome: IsStillWelcome
  /** Nobody else tells of an answer that fastify has no part in. */
  tell(request: FastifyRequest, status: number): void
}>

type Query = Readonly<{ after?: string }>

const HEARTBEAT_MS = 15_000
/** A consumer that is this far behind is dropped; it reconnects and resumes by its last id. */
const UNSENT_BYTES_MAX = 1024 * 1024

/** Server-sent events: what was committed, to those whom it concerns. */
export function eventStreamRoutes(server: FastifyInstance, ports: Ports): { endAll(): void } {
  const { ring, polls } = ports
  const open = new Map<ServerResponse, FastifyRequest>()
  /** What is sent, made once for all who may see the grounds of decisions, and once for others. */
  const texts = { whole: new WeakMap<Kept, string>(), groundless: new WeakMap<Kept, string>() }

  server.get<{ Querystring: Query }>(
    '/events',
    { schema: { querystring: querySchema('after') } },
    async (request, reply) => {
      const caller = knownCaller(request)
      const after = resumeIndex(request.headers['last-event-id'], request.query)
      polls.enter(caller.id)
      reply.hijack()
      begin(reply.raw, request, after)
      ports.tell(request, reply.raw.statusCode)
    },
  )

  const heartbeat = setInterval(() => {
    for (const [response, request] of open) write(response, request, ':\n\n')
  }, HEARTBEAT_MS)
  heartbeat.unref()
  server.addHook('onClose', async () => clearInterval(heartbeat))

  function begin(response: ServerResponse, request: FastifyRequest, after?: number): void {
    const caller = knownCaller(request)
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      // A stream that ends takes its connection along: it may be from before a change.
      connection: 'close',
      [LEDGER_HEADER]: ports.ledgerId,
      [INDEX_HEADER]: ports.index(),
      date: ports.date(),
    })
    response.write(':\n\n')
    const stop = ring.listen((news) => send(response, request, news))
    open.set(response, request)
    response.once('close', () => {
      stop()
      open.delete(response)
      polls.leave(caller.id)
    })
    if (after !== undefined) resume(response, request, after)
  }

  function resume(response: ServerResponse, request: FastifyRequest, after: number): void {
    const missed = after > ports.index() ? undefined : ring.since(after)
    if (missed) send(response, request, missed)
    else response.write(frame(resetAfter(after), ports.index()))
  }

  function send(response: ServerResponse, request: FastifyRequest, news: readonly Kept[]): void {
    const caller = knownCaller(request)
    const own = caller.isOperator ? news : news.filter(({ event }) => concerns(event, caller))
    const text = own.map((kept, at) => textOf(kept, caller, own[at + 1]?.index)).join('')
    if (text === '') return
    write(response, request, text)
    if (response.writableLength > UNSENT_BYTES_MAX) response.destroy()
  }

  /** Only to those who would still be let in; for others asking again is how they hear why. */
  function write(response: ServerResponse, request: FastifyRequest, text: string): void {
    // Its reader may be slow to take the end, and one more write would bring the broker down.
    if (response.writableEnded) return
    if (ports.isWelcome(request)) response.write(text)
    else response.end()
  }

  /** Only a batch's last event carries the id: whoever breaks off within gets all of it again. */
  function textOf(kept: Kept, caller: Caller, nextIndex: number | undefined): string {
    const view = maySeeGrounds(kept.event, caller) ? 'whole' : 'groundless'
    const body = texts[view].get(kept) ?? bodyOf(kept, view)
    texts[view].set(kept, body)
    if (body === '') return ''
    return kept.index === nextIndex ? `${body}\n` : `${body}id: ${kept.index}\n\n`
  }

  function bodyOf({ event, index }: Kept, view: keyof typeof texts): string {
    const shown = toStreamEvent(event, index, ports.noteOf)
    if (shown?.kind !== 'reservation' || view === 'whole') return shown ? fields(shown) : ''
    const { decision: _, ...groundless } = shown
    return fields(groundless)
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
  return { endAll }
}

function concerns(event: Kept['event'], { id }: Caller): boolean {
  return partiesOf(event).includes(id)
}

function fields(event: StreamEvent): string {
  return `event: ${event.kind}\ndata: ${JSON.stringify(event)}\n`
}

function frame(event: StreamEvent, index: number): string {
  return `${fields(event)}id: ${index}\n\n`
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
