import type { ServerHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { within } from '../../background/within.ts'
import { addressOf } from '../../http/tls/tls-generations.ts'

/** Longer than a watch is silent: a connection that sends nothing for so long is dead. */
const IDLE_MS = 100_000
/** For calls under way; a client that does not read its answers would stay for ever. */
const CLOSING_MS = 10_000

/** The HTTP/2 connections of the gRPC server: the caller of each, and how they end. */
export function createSessions() {
  const open = new Set<ServerHttp2Session>()
  /** HTTP/2 shows a stand-in of the socket, which has no identity of its own. */
  const sockets = new Map<string, TLSSocket>()

  return { note, noteSocket, closeAll, drain }

  function noteSocket(socket: TLSSocket): void {
    const address = addressOf(socket)
    sockets.set(address, socket)
    socket.once('close', () => sockets.delete(address))
  }

  /** The connection that it runs on. */
  function note(session: ServerHttp2Session): TLSSocket {
    open.add(session)
    session.setTimeout(IDLE_MS, () => close([session]))
    session.once('close', () => open.delete(session))
    return socketOf(session.socket)
  }

  function socketOf(shown: Socket): TLSSocket {
    const socket = sockets.get(addressOf(shown))
    if (!socket) throw new Error('A session began on a connection that was never made.')
    return socket
  }

  /** Calls under way are finished; nothing new begins. */
  function closeAll(): void {
    close([...open])
  }

  function close(sessions: readonly ServerHttp2Session[]): void {
    for (const session of sessions) session.close()
    setTimeout(() => {
      for (const session of sessions) session.destroy()
    }, CLOSING_MS).unref()
  }

  async function drain(closed: Promise<void>, timeoutMs: number): Promise<void> {
    closeAll()
    await within(timeoutMs, closed)
    for (const session of open) session.destroy()
  }
}
