import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { TLSSocket } from 'node:tls'
import { startTlsServer } from './tls-server.ts'

export type Heard = Readonly<{ line: string; body: unknown; caller: string; connection: number }>

/** One answer of the script, or what to do instead of an answer. */
export type Scene =
  | Readonly<{ status: number; body?: unknown; headers?: Readonly<Record<string, string>> }>
  | 'hang up'
  | 'stay silent'
  | 'stop midway'
  | ((request: IncomingMessage, response: ServerResponse) => void)

export type ScriptedBroker = {
  url: string
  heard: Heard[]
  close(): Promise<void>
}

export const STAMP = { 'bourse-ledger': 'ledger-1', 'bourse-index': '7' }

/** A real mTLS server that follows a script; the last scene is repeated. */
export async function playBroker(
  certPath: string,
  scenes: readonly [Scene, ...Scene[]],
): Promise<ScriptedBroker> {
  const heard: Heard[] = []
  const connections = new Map<unknown, number>()
  const server = await startTlsServer(certPath, async (request, response) => {
    const scene = scenes[Math.min(heard.length, scenes.length - 1)] ?? 'hang up'
    // The server is https only, so each socket has been through a handshake.
    const socket = request.socket as TLSSocket
    if (!connections.has(socket)) connections.set(socket, connections.size)
    const entry = {
      line: `${request.method} ${request.url}`,
      caller: String(socket.getPeerCertificate().subject.CN),
      connection: connections.get(socket) ?? -1,
    }
    const sent = request.method === 'GET' ? '' : await text(request)
    heard.push({ ...entry, body: sent === '' ? undefined : JSON.parse(sent) })
    perform(scene, request, response)
  })
  return { url: server.url, heard, close: async () => server.close() }
}

function perform(scene: Scene, request: IncomingMessage, response: ServerResponse): void {
  if (scene === 'stay silent') return
  if (scene === 'hang up') request.socket.destroy()
  else if (scene === 'stop midway') response.writeHead(200, { 'content-length': '99' }).write('{"')
  else if (typeof scene === 'function') scene(request, response)
  else {
    const isText = typeof scene.body === 'string'
    response.writeHead(scene.status, {
      'content-type': isText ? 'text/plain' : 'application/json',
      ...scene.headers,
    })
    response.end(isText ? scene.body : JSON.stringify(scene.body))
  }
}
