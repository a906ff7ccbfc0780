import type { ServerResponse } from 'node:http'
import { INDEX_HEADER, LEDGER_HEADER, type StreamEvent } from '@bourse/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isoOf } from '../doors/moments.ts'
import type { NoteOf } from '../doors/provider-notes.ts'
import { type Caller, knownCaller } from './caller.ts'
import type { EventRing, Kept } from './event-ring.ts'
import { createFieldCheck } from './field-check.ts'
import type { LongPolls } from './long-polls.ts'
import { partiesOf, toStreamEvent } from './stream-event-reply.ts'

type Ports = Readonly<{
  ring: EventRing
  polls: Pick<LongPolls, 'enter' | 'leave'>
  ledgerId: string
  index(): number
  now(): number
  date(): string
  noteOf: NoteOf
}>

const HEARTBEAT_MS = 15_000
/** A consumer that is this far behind is dropped; it reconnects and resumes by its last id. */
const UNSENT_BYTES_MAX = 1024 * 1024

/** Server-sent events: what was committed, to those whom it concerns. */
export function eventStreamRoutes(server: FastifyInstance, ports: Ports): { endAll(): void } {
  const { ring, polls } = ports
  const open = new Set<ServerResponse>()
  const texts = new WeakMap<Kept, string>()

  server.get('/events', async (request, reply) => {
    const caller = knownCaller(request)
    const after = resumeIndex(request)
    polls.enter(caller.id)
    reply.hijack()
    begin(reply.raw, caller, after)
  })

  const heartbeat = setInterval(() => {
    for (const response of open) response.write(':\n\n')
  }, HEARTBEAT_MS)
  heartbeat.unref()
  server.addHook('onClose', async () => clearInterval(heartbeat))

  function begin(response: ServerResponse, caller: Caller, after: number | undefined): void {
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
    const stop = ring.listen((news) => send(response, caller, news))
    open.add(response)
    response.once('close', () => {
      stop()
      open.delete(response)
      polls.leave(caller.id)
    })
    if (after !== undefined) resume(response, caller, after)
  }

  function resume(response: ServerResponse, caller: Caller, after: number): void {
    const missed = after > ports.index() ? undefined : ring.since(after)
    if (missed) send(response, caller, missed)
    else response.write(frame(reset(), ports.index()))
  }

  function send(response: ServerResponse, caller: Caller, news: readonly Kept[]): void {
    const own = caller.isOperator ? news : news.filter(({ event }) => concerns(event, caller))
    const text = own.map((kept, at) => textOf(kept, own[at + 1]?.index)).join('')
    if (text === '') return
    response.write(text)
    if (response.writableLength > UNSENT_BYTES_MAX) response.destroy()
  }

  /** Only a batch's last event carries the id: whoever breaks off within gets all of it again. */
  function textOf(kept: Kept, nextIndex: number | undefined): string {
    const body = texts.get(kept) ?? bodyOf(kept)
    texts.set(kept, body)
    if (body === '') return ''
    return kept.index === nextIndex ? `${body}\n` : `${body}id: ${kept.index}\n\n`
  }

  function bodyOf({ event, index }: Kept): string {
    const shown = toStreamEvent(event, index, ports.noteOf)
    return shown ? fields(shown) : ''
  }

  function reset(): StreamEvent {
    const message = 'Some events are no longer kept: read the lists again.'
    return { kind: 'reset', index: ports.index(), at: isoOf(ports.now()), message }
  }

  function endAll(): void {
    for (const response of open) response.end()
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

function resumeIndex(request: FastifyRequest): number | undefined {
  const written = request.headers['last-event-id']
  if (written === undefined || written === '') return undefined
  const index = Number(written)
  if (Number.isSafeInteger(index) && index >= 0) return index
  const check = createFieldCheck()
  check.add('Last-Event-ID', `'${written}' is not an index`)
  check.done()
  return undefined
}
