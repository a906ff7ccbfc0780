import type { ServerResponse } from 'node:http'
import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2'
import { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Activity } from './open-connections.ts'

// Node shows none of this. All of it is read and nothing written, and absent means nothing waits.
type Shown = Readonly<{
  /** The plain socket below one that speaks TLS. */
  _parent?: unknown
  /** The answer whose turn it is. */
  _httpMessage?: ServerResponse | null
  _handle?: Readonly<{ bytesWritten?: number; writeQueueSize?: number }> | null
}>
type Hidden = Socket & Shown

export function plainSocketOf(socket: TLSSocket | ServerHttp2Session['socket']): Socket {
  const { _parent: plain } = socket as Shown
  // Itself is nobody's plain socket: it is not found, and not kept.
  return plain instanceof Socket ? plain : (socket as Socket)
}

export function http1Activity(socket: Socket): Activity {
  const { _httpMessage: answer } = socket as Hidden
  if (!answer) return 'idle'
  return answer.headersSent ? 'answering' : 'asked'
}

/**
 * Node makes an error for each request that a closed connection leaves unanswered. Hundreds may
 * come in one piece, and the stacks of their errors take ten times as long as all else about them.
 */
export function closeWithoutStacks(socket: Socket): void {
  let { stackTraceLimit } = Error
  // Before and after node itself hears of it, which began to listen with the connection.
  socket.prependOnceListener('close', () => {
    stackTraceLimit = Error.stackTraceLimit
    Error.stackTraceLimit = 0
  })
  socket.once('close', () => {
    Error.stackTraceLimit = stackTraceLimit
  })
}

/** Whether an earlier answer has to be sent before this one. */
export function isPipelined(socket: Socket, answer: ServerResponse): boolean {
  return (socket as Hidden)._httpMessage !== answer
}

export function http2Activity(streams: Iterable<ServerHttp2Stream>): Activity {
  let activity: Activity = 'idle'
  for (const { headersSent } of streams) {
    if (headersSent) return 'answering'
    activity = 'asked'
  }
  return activity
}

/** Bytes that the kernel has taken from us: it takes no more while the other side does not read. */
export function takenBy(plain: Socket): number {
  const { _handle: handle } = plain as Hidden
  return (handle?.bytesWritten ?? 0) - (handle?.writeQueueSize ?? 0)
}
