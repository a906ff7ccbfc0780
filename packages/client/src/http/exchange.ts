import {
  API_BASE,
  INDEX_HEADER,
  LEDGER_HEADER,
  PROBLEM_MEDIA_TYPE,
  PROOF_HEADER,
  REASON_HEADER,
  SEEN_HEADER,
  TERM_HEADER,
} from '@bourse/contract/headers'
import type { Dispatcher } from 'undici'
import request from 'undici/lib/api/api-request.js'
import type { Stamp } from '../communicator/broker-communicator.ts'
import { present } from '../communicator/present.ts'
import type { SeenProofs } from '../communicator/seen-proofs.ts'
import { faultOfAnswer, headerOf, problemOf } from './answer-faults.ts'
import { askInTurn } from './ask-in-turn.ts'
import type { Address, BrokerAddresses } from './broker-addresses.ts'
import type { Connections, Lane, Timeouts } from './connections.ts'
import type { NameFault } from './name-fault.ts'

export type Call = Readonly<{
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below the API's base. */
  path: string
  query?: Readonly<Record<string, string | number | undefined>>
  body?: unknown
  headers?: Readonly<Record<string, string>>
  /** Extra time that the broker may take before it answers. */
  waitMs?: number
  lane?: Lane
  /** Other statuses that are outcomes for the caller, not faults. */
  outcomes?: readonly number[]
  signal?: AbortSignal | undefined
}>

export type Reply = Readonly<{ status: number; body: unknown; stamp: Stamp }>

export type Exchange = {
  /** One attempt. Resolves for 2xx and the listed outcomes; throws everything else. */
  send(call: Call): Promise<Reply>
  /** For carriers that can push: the answer, then another whenever it changes. */
  follow?(call: Call, signal: AbortSignal): AsyncIterable<Reply>
  /** The raw answer, for streams. */
  open(call: Call): Promise<Dispatcher.ResponseData>
  /** Whether this broker has shown that it knows ledger, index and request ids. */
  knowsRequestIds(): boolean
}

/** Heartbeats are far more frequent; a silent stream is a dead connection. */
const STREAM_SILENCE_MAX_MS = 60_000

type Ports = {
  brokers: BrokerAddresses
  connections: Connections
  timeouts: Timeouts
  name: NameFault
  seen: SeenProofs
  now(): number
  /** Why the commands of this client are given. */
  reason?: string | undefined
}

export function createExchange(ports: Ports): Exchange {
  const { brokers, connections, timeouts, name, seen, now } = ports
  // A header is Latin-1 to HTTP, and carries the bytes of UTF-8.
  const reason = ports.reason && Buffer.from(ports.reason).toString('latin1')
  let isOurs = false

  const reach = (call: Call) =>
    askInTurn({ brokers, name, signal: call.signal }, (address) => ask(address, call))

  async function ask({ origin, base }: Address, call: Call): Promise<Dispatcher.ResponseData> {
    const dispatcher = await connections.dispatcher(origin, call.lane ?? 'short')
    const hasBody = call.body !== undefined
    const proof = seen.text()
    const answer = await request.call(dispatcher, {
      method: call.method,
      path: `${base}${API_BASE}${call.path}${queryOf(call.query)}`,
      headers: {
        accept: 'application/json',
        ...(hasBody ? { 'content-type': 'application/json' } : {}),
        ...(proof === undefined ? {} : { [SEEN_HEADER]: proof }),
        ...(reason && call.method !== 'GET' ? { [REASON_HEADER]: reason } : {}),
        ...call.headers,
      },
      body: hasBody ? JSON.stringify(call.body) : null,
      headersTimeout: timeouts.headersMs + (call.waitMs ?? 0),
      bodyTimeout: call.lane === 'stream' ? STREAM_SILENCE_MAX_MS : timeouts.bodyMs,
      ...(call.signal ? { signal: call.signal } : {}),
    })
    const { statusCode: status, headers, body } = answer
    if (isOurBroker(headers)) isOurs = true
    seen.heard(ledgerOf(headers))
    if (status === 503) throw faultOfAnswer({ status, headers, text: await body.text(), call })
    return answer
  }

  async function send(call: Call): Promise<Reply> {
    const askedAt = now()
    const { origin, answer } = await reach(call)
    const { statusCode: status, headers, body } = answer
    return body
      .text()
      .then((text) => readReply({ status, headers, text }, call, { askedAt, answeredAt: now() }))
      .catch((thrown) => Promise.reject(name(origin, thrown)))
  }

  return {
    send,
    open: async (call) => (await reach(call)).answer,
    knowsRequestIds: () => isOurs,
  }
}

type Answered = Readonly<{ status: number; headers: Headers; text: string }>
type Moments = Readonly<{ askedAt: number; answeredAt: number }>

/** Interprets an answer of any carrier. Throws if it is neither 2xx nor a listed outcome. */
export function readReply({ status, headers, text }: Answered, call: Call, at: Moments): Reply {
  const stamp = stampOf(headers, writtenAt(call, at.askedAt, at.answeredAt))
  if (call.outcomes?.includes(status)) return { status, body: problemOf(text), stamp }
  if (status >= 300) throw faultOfAnswer({ status, headers, text, call })
  return { status, body: text === '' ? undefined : JSON.parse(text), stamp }
}

/** The Go original sends no ledger headers, and its errors have another form. */
function isOurBroker(headers: Headers): boolean {
  const isProblem = headerOf(headers, 'content-type')?.startsWith(PROBLEM_MEDIA_TYPE) ?? false
  return isProblem || headerOf(headers, LEDGER_HEADER) !== undefined
}

/** When the broker wrote it: midway, or at the end of a long poll. */
function writtenAt({ waitMs }: Call, askedAt: number, answeredAt: number): number {
  return waitMs === undefined ? (askedAt + answeredAt) / 2 : answeredAt
}

export function queryOf(query: Call['query'] = {}): string {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) given.set(name, String(value))
  return given.size === 0 ? '' : `?${given}`
}

type Headers = Dispatcher.ResponseData['headers']

function stampOf(headers: Headers, localTime: number): Stamp {
  const index = Number(headerOf(headers, INDEX_HEADER) ?? Number.NaN)
  const date = Date.parse(headerOf(headers, 'date') ?? '')
  return present({
    ...ledgerOf(headers),
    term: headerOf(headers, TERM_HEADER),
    index: Number.isSafeInteger(index) ? index : undefined,
    // The header has whole seconds: half a second is the average error.
    brokerTimeOffsetMs: Number.isNaN(date) ? undefined : Math.round(date + 500 - localTime),
  })
}

/** The ledger and its newest proof. */
function ledgerOf(headers: Headers): Pick<Stamp, 'ledgerId' | 'proof'> {
  return present({
    ledgerId: headerOf(headers, LEDGER_HEADER),
    proof: headerOf(headers, PROOF_HEADER),
  })
}
