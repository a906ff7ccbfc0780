import { PROBLEM_MEDIA_TYPE, SEEN_HEADER } from '@bourse/contract'
import { RELAYED_HEADERS, type RelayedAnswer, type RelayedCall } from '@bourse/contract/relayed'
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { problemOf } from '../../http/answers/error-reply.ts'
import type { Caller } from '../../http/callers/caller.ts'
import { BrokerError } from '../../http/errors/broker-error.ts'
import { serverOptions } from '../../http/requests/http-limits.ts'
import { type ApiPorts, type ApiSettings, createApi } from '../../http/server/create-api.ts'
import { type CarriedOperation, carriedOperation } from './carried-operations.ts'
import { refusal } from './refusal.ts'

export type Relay = Awaited<ReturnType<typeof createRelay>>
/** The caller as of now; throws a BrokerError if it is no longer admitted. */
export type IdentifyCaller = () => Caller
type CallUnderWay = {
  /** Asked anew, as often as the API wants to know. */
  readonly identify: IdentifyCaller
  /** Of its answer, once that is known. */
  body: string | undefined
}
type Settings = ApiSettings & Readonly<{ answerLengthMax?: number }>

/** The broker closes a long poll after a minute at the latest. */
const WATCH_WAIT = '30s'
/** Characters of an answer: it is held as a whole, and by some carriers more than once. */
const ANSWER_LENGTH_MAX = 8 * 1024 * 1024
/** Nothing listens here: only the doors beside it can set this. */
const CALL_HEADER = 'x-bourse-call'

/**
 * The REST API without a socket, for doors that carry its calls in another way: one place where
 * bodies are checked, commands made, refusals worded, rates limited and answers counted.
 */
export async function createRelay(ports: ApiPorts, settings: Settings) {
  const app = fastify(serverOptions)
  const calls = new Map<string, CallUnderWay>()
  let callCount = 0
  boundAnswers(app, settings.answerLengthMax ?? ANSWER_LENGTH_MAX)
  const api = await createApi(app, ports, { settings, identify, isLast: () => false })
  keepBodies(app, callOf)
  await app.ready()
  const closing = new AbortController()

  return { ask, watch, endWatches, close: () => app.close(), waiting: api.waiting }

  /** The transport identifies the caller. Rejects if the signal ends it first. */
  async function ask(
    caller: IdentifyCaller,
    call: RelayedCall,
    signal?: AbortSignal,
  ): Promise<RelayedAnswer> {
    const operation = carriedOperation(call)
    return operation ? carry(caller, { ...call, ...operation }, signal) : notCarried(call)
  }

  type Carried = RelayedCall & Pick<CarriedOperation, 'path' | 'search'>

  async function carry(
    caller: IdentifyCaller,
    { method, path, search, body, seen }: Carried,
    signal?: AbortSignal,
  ): Promise<RelayedAnswer> {
    const id = String(++callCount)
    const underWay: CallUnderWay = { identify: caller, body: undefined }
    calls.set(id, underWay)
    // One of its own: what is injected would stay with a signal that outlives it.
    const ending = new AbortController()
    const end = () => ending.abort()
    if (signal?.aborted) end()
    signal?.addEventListener('abort', end)
    const asked = app.inject({
      method,
      url: `${path}${search}`,
      headers: {
        [CALL_HEADER]: id,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(seen !== undefined && { [SEEN_HEADER]: seen }),
      },
      ...(body !== undefined && { payload: body }),
      ...(signal && { signal: ending.signal }),
    })
    const { statusCode, headers, payload } = await asked.finally(() => {
      calls.delete(id)
      signal?.removeEventListener('abort', end)
    })
    return { status: statusCode, headers: relayedOf(headers), body: underWay.body ?? payload }
  }

  /** Answers at once, and again whenever there is news, until the signal ends it. */
  async function* watch(
    caller: IdentifyCaller,
    call: RelayedCall,
    signal: AbortSignal,
  ): AsyncGenerator<RelayedAnswer> {
    const operation = carriedOperation(call)
    // A command would be carried out again and again, and what does not wait has no news.
    if (!operation?.isWatchable) return void (yield operation ? notWatched() : notCarried(call))
    // What the caller has seen is judged once: it is old by the time of the next question.
    const { seen: _, ...asked } = { ...call, ...operation }
    let answer = await unlessEnded(signal, carry(caller, { ...call, ...operation }, signal))
    while (answer && !signal.aborted && !closing.signal.aborted) {
      // Also one that says nothing new: a carrier that is silent for long counts as dead.
      yield answer
      if (answer.status >= 300) return
      const search = withWait(operation.search, answer.headers['bourse-index'])
      answer = await unlessEnded(signal, carry(caller, { ...asked, search }, signal))
    }
  }

  function callOf({ headers }: FastifyRequest): CallUnderWay | undefined {
    return calls.get(String(headers[CALL_HEADER]))
  }

  function identify(request: FastifyRequest): Caller {
    const call = callOf(request)
    if (!call) throw new BrokerError('Unavailable', 'This call has ended.')
    return call.identify()
  }

  function endWatches(): void {
    closing.abort()
    api.endWaits({ closing: true })
  }
}

/** Undefined: the watch has ended, and with it the question. */
async function unlessEnded(signal: AbortSignal, asked: Promise<RelayedAnswer>) {
  return asked.catch((thrown: unknown) => {
    if (signal.aborted) return undefined
    throw thrown
  })
}

/** The first question is answered at once, the next ones when there is something to tell. */
function withWait(search: string, after: string | undefined): string {
  const query = new URLSearchParams(search)
  query.set('wait', WATCH_WAIT)
  if (after !== undefined) query.set('after', after)
  return `?${query}`
}

/** Before it is written: from there on it would be copied. */
function boundAnswers(app: FastifyInstance, lengthMax: number): void {
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (typeof payload !== 'string' || payload.length <= lengthMax) return done(null, payload)
    const problem = problemOf(
      new BrokerError(
        'Unavailable',
        `The answer is longer than the ${lengthMax} characters that are carried here: ` +
          'ask for a smaller page with limit, or use the REST API.',
      ),
    )
    reply.code(problem.status).header('content-type', PROBLEM_MEDIA_TYPE)
    done(null, JSON.stringify(problem))
  })
}

/** The last hook: an answer that is written is copied four times, and may be long. */
function keepBodies(
  app: FastifyInstance,
  callOf: (request: FastifyRequest) => CallUnderWay | undefined,
): void {
  app.addHook('onSend', (request, _reply, payload, done) => {
    const call = callOf(request)
    if (!call || typeof payload !== 'string') return done(null, payload)
    call.body = payload
    done(null, '')
  })
}

const notCarried = ({ method, path }: RelayedCall) =>
  refusal(
    new BrokerError(
      'RouteNotFound',
      `${method.slice(0, 20)} ${path.slice(0, 80)} is not available here: use the REST API.`,
    ),
  )

const notWatched = () =>
  refusal(
    new BrokerError(
      'MethodNotAllowed',
      'Only a GET that takes wait can be watched: send anything else as a single call.',
    ),
  )
function relayedOf(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    RELAYED_HEADERS.filter((name) => headers[name] !== undefined).map((name) => [
      name,
      String(headers[name]),
    ]),
  )
}
