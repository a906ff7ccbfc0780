import { API_BASE, INDEX_HEADER, LEDGER_HEADER } from '@bourse/contract/headers'
import type { Dispatcher } from 'undici'
import type { Stamp } from '../broker-communicator.ts'
import { faultOfAnswer, problemOf } from './answer-faults.ts'
import type { Connections, Lane, Timeouts } from './connections.ts'

export type Call = Readonly<{
  method: 'GET' | 'POST' | 'DELETE'
  /** Below the API's base. */
  path: string
  query?: Readonly<Record<string, string | number | undefined>>
  body?: unknown
  headers?: Readonly<Record<string, string>>
  /** How long the broker may take before it begins to answer, beyond the usual. */
  waitMs?: number
  lane?: Lane
  /** Statuses beyond 2xx that are outcomes to the caller, not faults. */
  outcomes?: readonly number[]
  signal?: AbortSignal | undefined
}>

export type Reply = Readonly<{ status: number; body: unknown; stamp: Stamp }>

export type Exchange = {
  /** One attempt. Resolves for 2xx and the outcomes asked for; everything else is thrown. */
  send(call: Call): Promise<Reply>
  /** The raw answer, for streams. */
  open(call: Call): Promise<Dispatcher.ResponseData>
  /** Whether this broker has shown that it knows ledger, index and request ids. */
  knowsRequestIds(): boolean
}

/** The broker sends a heartbeat far more often; a silent stream is a dead connection. */
const STREAM_SILENCE_MAX_MS = 60_000

type Ports = { base: string; connections: Connections; timeouts: Timeouts; now(): number }

export function createExchange({ base, connections, timeouts, now }: Ports): Exchange {
  let hasStamped = false

  async function open(call: Call): Promise<Dispatcher.ResponseData> {
    const dispatcher = await connections.dispatcher(call.lane ?? 'short')
    const hasBody = call.body !== undefined
    const answer = await dispatcher.request({
      method: call.method,
      path: `${base}${API_BASE}${call.path}${queryOf(call.query)}`,
      headers: {
        accept: 'application/json',
        ...(hasBody ? { 'content-type': 'application/json' } : {}),
        ...call.headers,
      },
      body: hasBody ? JSON.stringify(call.body) : null,
      headersTimeout: timeouts.headersMs + (call.waitMs ?? 0),
      bodyTimeout: call.lane === 'stream' ? STREAM_SILENCE_MAX_MS : timeouts.bodyMs,
      ...(call.signal ? { signal: call.signal } : {}),
    })
    if (answer.headers[LEDGER_HEADER.toLowerCase()] !== undefined) hasStamped = true
    return answer
  }

  async function send(call: Call): Promise<Reply> {
    const askedAt = now()
    const { statusCode, headers, body } = await open(call)
    const text = await body.text()
    const stamp = stampOf(headers, writtenAt(call, askedAt, now()))
    if (call.outcomes?.includes(statusCode))
      return { status: statusCode, body: problemOf(text), stamp }
    if (statusCode >= 300) throw faultOfAnswer({ status: statusCode, headers, text, call })
    return { status: statusCode, body: text === '' ? undefined : JSON.parse(text), stamp }
  }

  return { open, send, knowsRequestIds: () => hasStamped }
}

/** When the broker wrote it: midway, or at the end where it waited for something to tell. */
function writtenAt({ waitMs }: Call, askedAt: number, answeredAt: number): number {
  return waitMs === undefined ? (askedAt + answeredAt) / 2 : answeredAt
}

function queryOf(query: Call['query'] = {}): string {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) given.set(name, String(value))
  return given.size === 0 ? '' : `?${given}`
}

type Headers = Dispatcher.ResponseData['headers']

function stampOf(headers: Headers, localTime: number): Stamp {
  const ledgerId = one(headers, LEDGER_HEADER)
  const index = Number(one(headers, INDEX_HEADER) ?? Number.NaN)
  const date = Date.parse(one(headers, 'date') ?? '')
  return {
    ...(ledgerId === undefined ? {} : { ledgerId }),
    ...(Number.isSafeInteger(index) ? { index } : {}),
    // The header has whole seconds: on average the broker is half a second further.
    ...(Number.isNaN(date) ? {} : { brokerTimeOffsetMs: Math.round(date + 500 - localTime) }),
  }
}

function one(headers: Headers, name: string): string | undefined {
  const value = headers[name.toLowerCase()]
  return Array.isArray(value) ? value[0] : value
}
