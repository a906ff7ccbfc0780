import type { Http2SecureServer } from 'node:http2'
import type { Server } from 'node:https'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { TlsFiles } from './tls-files.ts'

/**
 * Tells connections made under the certificates now in force from older ones. Node changes the
 * context for new handshakes only: without this, a caller whose authority was removed would stay
 * as long as it keeps its connection open.
 */
export function createTlsGenerations(server: Server | Http2SecureServer, files: TlsFiles) {
  let generation = 0
  let current = files
  /** Handshakes under way, by address: they began with the context of their time. */
  const handshakes = new Map<string, number>()
  const generations = new WeakMap<TLSSocket, number>()

  server.on('connection', (socket: Socket) => {
    const address = addressOf(socket)
    handshakes.set(address, generation)
    socket.once('close', () => handshakes.delete(address))
  })
  server.on('secureConnection', (socket: TLSSocket) => {
    const address = addressOf(socket)
    generations.set(socket, handshakes.get(address) ?? generation)
    handshakes.delete(address)
  })

  function isCurrent(socket: TLSSocket): boolean {
    return generations.get(socket) === generation
  }

  function rotate(next: TlsFiles): void {
    server.setSecureContext(next.context)
    current = next
    generation += 1
    if ('closeIdleConnections' in server) server.closeIdleConnections()
  }
  return { isCurrent, rotate, revocations: () => current.revocations }
}

/** Tells a connection from all others that are open. */
export function addressOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress}|${remotePort}`
}
