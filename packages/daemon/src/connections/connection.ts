import type { ServerResponse } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import { addressGroup } from './address-group.ts'
import type { Arrival } from './arrivals.ts'
import { http1Activity, http2Activity, takenBy } from './node-socket.ts'
import type { Activity, Open } from './open-connections.ts'
import { nothingSeen, type Output, type Seen } from './output-watch.ts'

/** A connection from accept to close. */
export type Connection = Arrival &
  Open &
  Output & {
    caller: string
    readonly plain: Socket
    /** The TLS socket once the handshake is done; the plain socket without TLS. */
    socket: Socket
    /** Open streams of an HTTP/2 connection. */
    streams: Map<ServerHttp2Stream, Output> | undefined
    /** Answers that wait for an earlier one; HTTP/1.1 sends them in order. */
    pipelined: Set<ServerResponse> | undefined
  }

export function createConnection(plain: Socket, arrivedAt: number): Connection {
  const address = addressGroup(plain.remoteAddress)
  const seen: Seen = nothingSeen()
  const connection: Connection = {
    plain,
    socket: plain,
    address,
    caller: address,
    arrivedAt,
    seen,
    streams: undefined,
    pipelined: undefined,
    activity,
    unwritten,
    taken: () => takenBy(plain),
    isEnded: () => connection.socket.writableEnded,
  }
  return connection

  function activity(): Activity {
    const { streams, socket } = connection
    return streams ? http2Activity(streams.keys()) : http1Activity(socket)
  }

  function unwritten(): number {
    const { streams, pipelined, socket } = connection
    let bytes = socket.writableLength
    if (streams) for (const stream of streams.keys()) bytes += stream.writableLength
    // The current answer has already written to the socket.
    if (pipelined)
      for (const answer of pipelined) if (!answer.socket) bytes += answer.writableLength
    return bytes
  }
}

/** Each stream is watched alone: an unread one must not hide behind others that are read. */
export function outputOf(stream: ServerHttp2Stream): Output {
  return {
    unwritten: () => stream.writableLength,
    // Node does not show the bytes taken; a shrinking queue is the only sign of progress.
    taken: () => -stream.writableLength,
    // Only the connection ends.
    isEnded: () => false,
    seen: nothingSeen(),
  }
}
