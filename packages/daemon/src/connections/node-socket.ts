import type { ServerResponse } from 'node:http'
import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2'
import { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Activity } from './open-connections.ts'

// Internals of Node: only read, never written; absent means that nothing waits.
type Shown = Readonly<{
  /** The plain socket below a TLS socket. */
  _parent?: unknown
  /** The current answer. */
  _httpMessage?: ServerResponse | null
  _handle?: Readonly<{ bytesWritten?: number; writeQueueSize?: number }> | null
}>
type Hidden = Socket & Shown

export function plainSocketOf(socket: TLSSocket | ServerHttp2Session['socket']): Socket {
  const { _parent: plain } = socket as Shown
  // Otherwise itself: a socket that is not found is not kept.
  return plain instanceof Socket ? plain : (socket as Socket)
}

export function http1Activity(socket: Socket): Activity {
  const { _httpMessage: answer } = socket as Hidden
  if (!answer) return 'idle'
  return answer.headersSent ? 'answering' : 'asked'
}

/**
 * Node creates an error for each unanswered request of a closed connection. There may be hundreds,
 * and capturing their stacks takes ten times as long as all the rest.
 */
export function closeWithoutStacks(socket: Socket): void {
  let { stackTraceLimit } = Error
  // Before and after Node's own listener, which was added with the connection.
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

/** Bytes that the kernel has taken from us; it stops while the client does not read. */
export function takenBy(plain: Socket): number {
  const { _handle: handle } = plain as Hidden
  return (handle?.bytesWritten ?? 0) - (handle?.writeQueueSize ?? 0)
}
