import { API_BASE, type ErrorCode, SEEN_HEADER } from '@bourse/contract'
import { RELAYED_HEADERS, type RelayedAnswer, type RelayedCall } from '@bourse/contract/relayed'
import fastify, { type FastifyRequest } from 'fastify'
import { BrokerError } from '../http/broker-error.ts'
import type { Caller } from '../http/caller.ts'
import { type ApiPorts, type ApiSettings, createApi } from '../http/create-api.ts'
import { problemOf } from '../http/error-reply.ts'
import { serverOptions } from '../http/http-limits.ts'

export type Relay = Awaited<ReturnType<typeof createRelay>>

const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'DELETE'])
const PATH_LENGTH_MAX = 4_096
/** The broker closes a long poll after a minute at the latest. */
const WATCH_WAIT = '30s'
/** Nothing listens here: only the doors beside it can set this. */
const CALLER_HEADER = 'x-bourse-caller'

/**
 * The REST API without a socket, for doors that carry its calls in another way: one place where
 * bodies are checked, commands made, refusals worded, rates limited and answers counted.
 */
export async function createRelay(ports: ApiPorts, settings: ApiSettings) {
  const app = fastify(serverOptions)
  const api = await createApi(app, ports, { settings, identify, isLast: () => false })
  await app.ready()
  const closing = new AbortController()

  return { ask, watch, endWatches, close: () => app.close(), waiting: api.waiting }

  /** Who calls is for the door to know. */
  async function ask(
    caller: Caller,
    call: RelayedCall,
    signal?: AbortSignal,
  ): Promise<RelayedAnswer> {
    if (!isCarried(call)) return notCarried(call)
    const { method, path, body, seen } = call
    const { statusCode, headers, payload } = await app.inject({
      method,
      url: `${API_BASE}${path}`,
      headers: {
        [CALLER_HEADER]: JSON.stringify(caller),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(seen !== undefined && { [SEEN_HEADER]: seen }),
      },
      ...(body !== undefined && { payload: body }),
      ...(signal && { signal }),
    })
    return { status: statusCode, headers: relayedOf(headers), body: payload }
  }

  /** Answers at once, and again whenever there is news, until somebody has enough. */
  async function* watch(
    caller: Caller,
    { path, seen, ...call }: RelayedCall,
    signal: AbortSignal,
  ): AsyncGenerator<RelayedAnswer> {
    let after: string | undefined
    // What was seen is judged once: it is old by the time of the next question.
    const first = { ...call, path, ...(seen !== undefined && { seen }) }
    // A command would be carried out again and again.
    let answer = call.method === 'GET' ? await ask(caller, first) : onlyQuestions()
    while (!signal.aborted && !closing.signal.aborted) {
      // Also one that says nothing new: a carrier that is silent for long counts as dead.
      yield answer
      if (answer.status >= 300) return
      after = answer.headers['bourse-index']
      answer = await ask(caller, { ...call, path: withWait(path, after) })
    }
  }

  function endWatches(): void {
    closing.abort()
    api.endWaits({ closing: true })
  }
}

function identify(request: FastifyRequest): Caller {
  // Written by `ask` above, and by nobody else.
  return JSON.parse(String(request.headers[CALLER_HEADER])) as Caller
}

/** The first question is answered at once, the next ones when there is something to tell. */
function withWait(path: string, after: string | undefined): string {
  if (after === undefined) return path
  return `${path}${path.includes('?') ? '&' : '?'}wait=${WATCH_WAIT}&after=${after}`
}

/** Streams of the REST API have no end, and so no answer here. */
function isCarried({ method, path }: RelayedCall): boolean {
  const isPath = path.startsWith('/') && path.length <= PATH_LENGTH_MAX
  return METHODS.has(method) && isPath && !/^\/events([/?]|$)/.test(path)
}

const notCarried = ({ method, path }: RelayedCall) =>
  refusal('RouteNotFound', `${method} ${path.slice(0, 80)} is not carried here: use the REST API.`)

const onlyQuestions = () =>
  refusal('MethodNotAllowed', 'Only a GET can be watched: send a command as a single call.')

function refusal(code: ErrorCode, detail: string): RelayedAnswer {
  const problem = problemOf(new BrokerError(code, detail))
  return { status: problem.status, headers: {}, body: JSON.stringify(problem) }
}

function relayedOf(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    RELAYED_HEADERS.filter((name) => headers[name] !== undefined).map((name) => [
      name,
      String(headers[name]),
    ]),
  )
}
