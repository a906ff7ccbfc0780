import type { Server, TLSSocket } from 'node:tls'
import type { Logger } from 'pino'

/** Lines a minute: enough to find a misconfigured agent, too few to fill a disk. */
const LINES_PER_MINUTE_MAX = 30

/** A refused handshake never becomes a request: without this line nobody would know why. */
export function logHandshakes(server: Server, log: Logger): void {
  let minute = 0
  let lines = 0
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket: TLSSocket) => {
    // A client that hangs up, or a port scan, is not news.
    if (error.code === 'ECONNRESET') return
    const current = Math.floor(performance.now() / 60_000)
    if (current !== minute) lines = 0
    minute = current
    lines += 1
    if (lines > LINES_PER_MINUTE_MAX) return
    const reason = error.code ?? error.message
    log.info({ from: socket.remoteAddress, reason }, 'TLS handshake refused')
  })
}
