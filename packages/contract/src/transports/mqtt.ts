import type { RelayedAnswer, RelayedCall } from './relayed.ts'

/*
 *   bourse/v1/<cluster>/calls             the cluster asks: MQTT 5, QoS 1, with a response topic
 *   bourse/v1/<cluster>/answers/<client>  the broker answers, with the same correlation data
 *   bourse/v1/<cluster>/instructions      the broker tells, retained: what the cluster lends
 *   bourse/v1/<cluster>/reservations      the broker tells, retained: what the cluster borrows
 *   bourse/v1/<cluster>/peerings          the broker tells, retained: what is said with its peers
 *
 * The server's access list, by the Common Name of the client certificate, makes <cluster> true.
 */
const ROOT = 'bourse/v1'

export const TOLD = ['instructions', 'reservations', 'peerings'] as const
export type Told = (typeof TOLD)[number]

const PORT = 8_883

/** In parts: the MQTT library would split a whole address in a way that Node warns of. */
export function mqttAddress(url: string): { protocol: 'mqtts'; host: string; port: number } {
  const { hostname, port } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  return { protocol: 'mqtts', host, port: port === '' ? PORT : Number(port) }
}

/** Where every cluster's calls arrive. */
export const ALL_CALLS_TOPIC = `${ROOT}/+/calls`

export function callsTopic(clusterId: string): string {
  return `${ROOT}/${clusterId}/calls`
}

export function answersTopic(clusterId: string, client: string): string {
  return `${ROOT}/${clusterId}/answers/${client}`
}

/** Where a cluster may have answers sent, and nowhere else. */
export function answersPrefix(clusterId: string): string {
  return answersTopic(clusterId, '')
}

export function toldTopic(clusterId: string, told: Told): string {
  return `${ROOT}/${clusterId}/${told}`
}

/** Whose calls these are. */
export function callerOfTopic(topic: string): string {
  return topic.slice(ROOT.length + 1, -'/calls'.length)
}

/** What is told is the answer to this question. */
export const TOLD_PATHS: Readonly<Record<Told, string>> = {
  instructions: '/instructions',
  reservations: '/reservations?role=requester&limit=1000',
  peerings: '/peerings?role=party&limit=1000',
}

export function encodeCall({ method, path, body, seen }: RelayedCall): string {
  return JSON.stringify({
    method,
    path,
    seen,
    ...(body !== undefined && { body: JSON.parse(body) }),
  })
}

/** Of a call; no valid body has half as many levels. */
const NESTING_MAX = 64

/** Throws a SyntaxError if this is not a call. The API checks what the call says. */
export function decodeCall(payload: Buffer): RelayedCall {
  // Writing deeply nested JSON again would overflow the stack.
  if (isNestedBeyond(NESTING_MAX, payload))
    throw new SyntaxError(`A call has at most ${NESTING_MAX} levels of brackets.`)
  const call: unknown = JSON.parse(payload.toString('utf8'))
  if (typeof call !== 'object' || call === null) throw new SyntaxError('A call is a JSON object.')
  const { method, path, body, seen, ...rest } = call as Record<string, unknown>
  // Without what was meant by it, the call would be another one.
  if (Object.keys(rest).length > 0)
    throw new SyntaxError('A call has a method, a path, a body and seen, and nothing else.')
  if (typeof method !== 'string' || typeof path !== 'string')
    throw new SyntaxError('A call has a method and a path, both of them text.')
  return {
    // The relay refuses other methods.
    method: method as RelayedCall['method'],
    path,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(seen !== undefined && { seen: String(seen) }),
  }
}

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\[]{}')

/** Counts brackets outside of strings, in one pass. The answer means nothing for invalid JSON. */
function isNestedBeyond(levelsMax: number, json: Buffer): boolean {
  let level = 0
  let isText = false
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at]
    if (byte === QUOTE) isText = !isText
    else if (isText) at += byte === BACKSLASH ? 1 : 0
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) level += 1
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) level -= 1
    if (level > levelsMax) return true
  }
  return false
}

/** The body is JSON already: parsing a long one again would take milliseconds. */
export function encodeAnswer({ status, headers, body }: RelayedAnswer): string {
  const head = JSON.stringify({ status, headers })
  return body === '' ? head : `${head.slice(0, -1)},"body":${body}}`
}

export function decodeAnswer(payload: Buffer): RelayedAnswer {
  const { status, headers, body } = JSON.parse(payload.toString('utf8')) as {
    status: number
    headers: Record<string, string>
    body?: unknown
  }
  return { status, headers, body: body === undefined ? '' : JSON.stringify(body) }
}
