import type { ServerResponse } from 'node:http'
import { INDEX_HEADER, LEDGER_HEADER, PROOF_HEADER, type StreamEvent } from '@bourse/contract'
import { LAST_EVENTS_MAX } from '@bourse/contract/limits'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { EventRing } from '../../after-commit/event-ring.ts'
import { isoOf } from '../../presentation/moments.ts'
import type { NoteOf } from '../../presentation/provider-notes.ts'
import { createRoom, type LongPolls } from '../answers/long-polls.ts'
import type { IsStillWelcome } from '../callers/authenticate.ts'
import { type Caller, knownCaller } from '../callers/caller.ts'
import type { Charging } from '../callers/charge-requests.ts'
import { BrokerError } from '../errors/broker-error.ts'
import { createFieldCheck } from '../errors/field-check.ts'
import { createEventReader, type EventReader } from './event-reader.ts'
import { createEventTexts } from './event-text.ts'
import { isToldTo } from './stream-event-reply.ts'

type Ports = Readonly<{
  ring: EventRing
  polls: Pick<LongPolls, 'room'>
  ledgerId: string
  index(): number
  proof(): string
  now(): number
  date(): string
  noteOf: NoteOf
  isWelcome: IsStillWelcome
  charging: Pick<Charging, 'heavy' | 'leave'>
  /** Fastify reports no answer that it did not send itself. */
  tell(request: FastifyRequest, status: number): void
}>

type Query = Readonly<{ after?: string; last?: string }>
export type EventStreams = Readonly<{ endAll(): void; count(): number }>

const HEARTBEAT_MS = 15_000
/** Fewer than polls: each commit is written to each stream. */
const STREAMS_PER_CALLER_MAX = 64

/** Server-sent events: what was committed, to those whom it concerns. */
export function eventStreamRoutes(server: FastifyInstance, ports: Ports): EventStreams {
  const { ring, charging } = ports
  const textOf = createEventTexts(ports.noteOf)
  const open = new Map<ServerResponse, EventReader>()
  const room = createRoom(STREAMS_PER_CALLER_MAX, 'streams', ports.polls.room)

  server.get<{ Querystring: Query }>('/events', async (request, reply) => {
    const caller = knownCaller(request)
    const after = resumeIndex(request.headers['last-event-id'], request.query)
    const last = after === undefined ? lastCount(request.query) : undefined
    if (after !== undefined || last !== undefined) await ring.filled
    // To look for them takes milliseconds.
    const start =
      last && (await charging.heavy(request, (timed) => timed(() => startOf(last, caller))))
    // Who has left meanwhile would be waited for without end.
    if (!reply.raw.destroyed) room.enter(caller.id)
    reply.hijack()
    charging.leave(request)
    if (reply.raw.destroyed) return
    begin(reply.raw, request, after ?? start ?? ports.index())
    ports.tell(request, reply.raw.statusCode)
  })

  /** Advertisements are not counted: every cluster repeats them. */
  function startOf(last: number, caller: Caller): number {
    return ring.startOf(last, (event) => event.kind !== 'advertised' && isToldTo(event, caller))
  }

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
      // The connection ends with its stream: it may be older than a change of certificates.
      connection: 'close',
      [LEDGER_HEADER]: ports.ledgerId,
      [INDEX_HEADER]: ports.index(),
      [PROOF_HEADER]: ports.proof(),
      date: ports.date(),
    })
    const reader = createEventReader(response, {
      ring,
      textOf,
      caller,
      after,
      isWelcome,
      resetAfter,
      inTurn: (job) => void charging.heavy(request, (timed) => timed(job)).catch(endRefused),
    })
    // Only for a caller that leaves long answers unread.
    const endRefused = (refusal: unknown) => {
      if (!(refusal instanceof BrokerError)) throw refusal
      response.end()
    }
    const stop = ring.listen(reader.pump)
    open.set(response, reader)
    response.once('close', () => {
      stop()
      open.delete(response)
      room.leave(caller.id)
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
  const check = createFieldCheck()
  const index = lastId ? check.index('Last-Event-ID', String(lastId)) : check.index('after', after)
  check.done()
  return index
}

function lastCount({ last }: Query): number | undefined {
  if (last === undefined) return undefined
  const count = /^\d{1,5}$/.test(last) ? Number(last) : 0
  if (count >= 1 && count <= LAST_EVENTS_MAX) return count
  const check = createFieldCheck()
  check.add('last', `'${last}' is not a number from 1 to ${LAST_EVENTS_MAX}`)
  check.done()
  return undefined
}
