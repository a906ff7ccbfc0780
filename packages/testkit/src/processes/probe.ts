import { get } from 'node:https'
import { connect } from 'node:net'

/**
 * On a new connection. A server closes a kept one after a while; a busy caller may notice too late
 * and send its request into it.
 */
export function fetchAnew(url: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { ...init, headers: { connection: 'close' } })
}

/** Whether the answer is a success. */
export function isUp(url: string, init?: RequestInit): Promise<boolean> {
  return fetchAnew(url, init).then(
    ({ ok }) => ok,
    () => false,
  )
}

type TlsTarget = Readonly<{
  url: string
  ca: string
  client?: Readonly<{ certificate: string; key: string }>
}>

const TIMEOUT_MS = 2_000

/** The same for a server with a certificate of a test authority. */
export function isUpOverTls({ url, ca, client }: TlsTarget): Promise<boolean> {
  const tls = { ca, ...(client && { cert: client.certificate, key: client.key }) }
  return new Promise((resolve) => {
    const request = get(url, { ...tls, agent: false, timeout: TIMEOUT_MS }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    request.once('timeout', () => request.destroy(new Error('no answer')))
    request.once('error', () => resolve(false))
  })
}

/** Whether a server accepts connections at this port of loopback. */
export function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  return new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
  }).finally(() => socket.destroy())
}
