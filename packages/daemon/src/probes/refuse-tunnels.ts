import type { Server } from 'node:http'
import type { Server as SecureServer } from 'node:https'
import type { Duplex } from 'node:stream'

/** Answers CONNECT with 405 like any other wrong method; Node would only hang up. */
export function refuseTunnels(server: Server | SecureServer, allowed: string): void {
  server.on('connect', (_request: unknown, socket: Duplex) => {
    socket.on('error', () => socket.destroy())
    const body = JSON.stringify({
      type: 'urn:bourse:problem:MethodNotAllowed',
      title: 'This address does not take that method.',
      status: 405,
      detail: `CONNECT is not supported: use ${allowed}.`,
      code: 'MethodNotAllowed',
      error: `CONNECT is not supported: use ${allowed}.`,
    })
    const lines = [
      'HTTP/1.1 405 Method Not Allowed',
      `Allow: ${allowed}`,
      'Content-Type: application/problem+json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
    ]
    socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
  })
}
