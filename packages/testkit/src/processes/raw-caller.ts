import { readFileSync } from 'node:fs'
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { join } from 'node:path'

export type RawRequest = Readonly<{
  method?: string
  path: string
  /** An object is sent as JSON; text and bytes as they are. */
  body?: unknown
  headers?: Readonly<Record<string, string>>
}>

export type RawReply = Readonly<{
  status: number
  headers: IncomingHttpHeaders
  text: string
  /** The body as JSON; undefined if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at any answer of the broker.
  json: any
  /** The Bourse-Index it carried; NaN without. */
  index: number
}>

export type RawCaller = {
  send(asked: RawRequest): Promise<RawReply>
  get(path: string): Promise<RawReply>
  post(path: string, body?: unknown): Promise<RawReply>
  /** Opens a request without ending it, for clients that vanish or are slow. */
  open(asked: Omit<RawRequest, 'body'>): ClientRequest
  close(): void
}

export type RawOptions = Readonly<{
  url: string
  /** Directory with tls.crt, tls.key and ca.crt. */
  certPath: string
  /** Whose ca.crt the broker is checked against, if not the caller's own. */
  authorityPath?: string
  /** False: it presents no certificate. */
  presents?: boolean
  /** Connections it may keep; 1 makes it stay on the same one. */
  connectionsMax?: number
}>

const REPLY_BYTES_MAX = 64 * 1024 * 1024

/** Plain HTTP over mutual TLS: it sends what it is given, however wrong. */
export function createRawCaller({ url, certPath, ...options }: RawOptions): RawCaller {
  const { presents = true, connectionsMax = Number.POSITIVE_INFINITY } = options
  const file = (name: string) => readFileSync(join(certPath, name))
  const authorityPath = options.authorityPath ?? certPath
  const agent = new Agent({
    keepAlive: true,
    maxSockets: connectionsMax,
    ca: readFileSync(join(authorityPath, 'ca.crt')),
    ...(presents && { cert: file('tls.crt'), key: file('tls.key') }),
  })

  function open({ method = 'GET', path, headers = {} }: Omit<RawRequest, 'body'>): ClientRequest {
    const call = request(new URL(path, url), { method, headers, agent })
    // `send` reports it; after the answer the connection may be cut.
    return call.on('error', () => {})
  }

  function send({ body, headers = {}, ...asked }: RawRequest): Promise<RawReply> {
    const bytes = bytesOf(body)
    const type = bytes === undefined ? {} : { 'content-type': 'application/json' }
    const length = bytes === undefined ? {} : { 'content-length': String(bytes.length) }
    return new Promise((resolve, reject) => {
      const call = open({ ...asked, headers: { ...type, ...length, ...headers } })
      call.once('error', reject)
      call.once('response', (response) => readReply(response).then(resolve, reject))
      call.end(bytes)
    })
  }

  return {
    send,
    get: (path) => send({ path }),
    post: (path, body) => send({ method: 'POST', path, body }),
    open,
    close: () => agent.destroy(),
  }
}

function bytesOf(body: unknown): Buffer | undefined {
  if (body === undefined) return undefined
  if (Buffer.isBuffer(body)) return body
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

export async function readReply(response: IncomingMessage): Promise<RawReply> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of response) {
    parts.push(part)
    length += part.length
    if (length > REPLY_BYTES_MAX) throw new Error('The answer is larger than any of ours.')
  }
  const text = Buffer.concat(parts).toString('utf8')
  const { statusCode = 0, headers } = response
  const index = Number(headers['bourse-index'] ?? Number.NaN)
  return { status: statusCode, headers, text, json: parsed(text), index }
}

function parsed(text: string): unknown {
  return /^\s*[[{]/.test(text) ? JSON.parse(text) : undefined
}
