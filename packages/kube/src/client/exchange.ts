import type { Dispatcher } from 'undici'
import type { Connection } from '../connection/connection.ts'
import type { Clock } from '../time/clock.ts'
import type { Connections, Lane, Outgoing } from './connections.ts'
import { faultOfAnswer, nameFault } from './faults.ts'
import type { CallOptions, ServerTime, Timeouts } from './kube-client.ts'
import { withDeadline, withRetries } from './retry.ts'

export type Call = Readonly<{
  method: Outgoing['method']
  path: string
  body?: object | undefined
  contentType?: string
}>

/** An answer and its size. */
export type Reply<T> = Readonly<{ body: T; bytes: number }>

export type Exchange = ReturnType<typeof createExchange>

type Ports = Readonly<{
  connection: Connection
  connections: Connections
  timeouts: Timeouts
  clock: Clock
}>

const JSON_TYPE = 'application/json'
/** A watch may pause between two reads; a large rollout must not block the connection meanwhile. */
const WATCH_BYTES_AHEAD = 512 * 1024

export function createExchange({ connection, connections, timeouts, clock }: Ports) {
  let latest: ServerTime | undefined

  async function attempt<T>(call: Call, lane: Lane, signal: AbortSignal): Promise<Reply<T>> {
    const askedAt = clock.now()
    const { statusCode, headers, body } = await connections.send(outgoing(call, lane, signal))
    latest = serverTimeOf(headers.date, askedAt, clock.now()) ?? latest
    const text = await body.text()
    if (statusCode >= 300)
      throw faultOfAnswer({ status: statusCode, text, headers, path: call.path })
    // The server validates by its schema; the caller knows the type by the kind it asks for.
    return { body: (text === '' ? undefined : JSON.parse(text)) as T, bytes: text.length }
  }

  const name = (thrown: unknown, what: string) => nameFault(thrown, what, connection.server)

  return {
    async ask<T>(call: Call, options: CallOptions = {}): Promise<Reply<T>> {
      const what = `${call.method} ${call.path.split('?')[0]}`
      const budgetMs = options.timeoutMs ?? timeouts.totalMs
      using deadline = withDeadline(budgetMs, options.signal, what)
      const { signal } = deadline
      const once = () => attempt<T>(call, options.urgent ? 'urgent' : 'call', signal)
      if (options.retry === false)
        return await once().catch((thrown) => {
          signal.throwIfAborted()
          throw name(thrown, what)
        })
      return await withRetries(once, clock, {
        isRead: call.method === 'GET',
        budgetMs,
        signal,
        name: (thrown) => name(thrown, what),
        refused: () => connection.refused(),
      })
    },
    /** One attempt at a stream; the caller reads it to its end or destroys it. */
    async stream(path: string, signal: AbortSignal): Promise<Dispatcher.ResponseData['body']> {
      const call = outgoing({ method: 'GET', path }, 'watch', signal)
      const answer = await connections.send({ ...call, highWaterMark: WATCH_BYTES_AHEAD })
      if (answer.statusCode < 300) return answer.body
      if (answer.statusCode === 401) connection.refused()
      const { statusCode: status, headers } = answer
      throw faultOfAnswer({ status, text: await answer.body.text(), headers, path })
    },
    /** A thrown value as a `KubeError`. */
    name,
    serverTime: () => latest,
  }
}

function outgoing(call: Call, lane: Lane, signal: AbortSignal): Outgoing {
  return {
    lane,
    method: call.method,
    path: call.path,
    headers: {
      accept: JSON_TYPE,
      'user-agent': 'bourse',
      ...(call.body ? { 'content-type': call.contentType ?? JSON_TYPE } : {}),
    },
    body: call.body ? JSON.stringify(call.body) : null,
    signal,
  }
}

/**
 * The header has whole seconds, so the server's clock stood in [date, date + 1 s) at some moment
 * between asking and answer: offset ∈ (date − answeredAt, date + 1 s − askedAt).
 */
export function serverTimeOf(
  header: string | string[] | undefined,
  askedAt: number,
  answeredAt: number,
): ServerTime | undefined {
  const date = Date.parse(String(header))
  if (Number.isNaN(date)) return undefined
  const low = date - answeredAt
  const high = date + 1_000 - askedAt
  return { offsetMs: (low + high) / 2, uncertaintyMs: (high - low) / 2 }
}
