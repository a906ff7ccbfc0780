import type { ServerResponse } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import { addressGroup } from './address-group.ts'
import type { Arrival } from './arrivals.ts'
import { http1Activity, http2Activity, takenBy } from './node-socket.ts'
import type { Activity, Open } from './open-connections.ts'
import { nothingSeen, type Output, type Seen } from './output-watch.ts'

/** A connection from its first moment to its last. */
export type Connection = Arrival &
  Open &
  Output & {
    caller: string
    readonly plain: Socket
    /** Where requests and answers go; the plain socket itself where there is no TLS. */
    socket: Socket
    /** Calls that are open, where it speaks HTTP/2. */
    streams: Map<ServerHttp2Stream, Output> | undefined
    /** Answers that came while an earlier one was not finished; HTTP sends them in order. */
    pipelined: Set<ServerResponse> | undefined
  }

export function createConnection(plain: Socket, arrivedAt: number): Connection {
  const address = addressGroup(plain.remoteAddress)
  const seen: Seen = nothingSeen()
  const connection: Connection = {
    ...{ plain, socket: plain, address, caller: address, arrivedAt, seen },
    ...{ streams: undefined, pipelined: undefined },
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
    // The one whose turn it is has written to the socket.
    if (pipelined)
      for (const answer of pipelined) if (!answer.socket) bytes += answer.writableLength
    return bytes
  }
}

/** A call of its own: one that nobody reads must not hide behind others that are read. */
export function outputOf(stream: ServerHttp2Stream): Output {
  return {
    unwritten: () => stream.writableLength,
    // How much of what waits has been taken is not shown: less waits, or more was added.
    taken: () => -stream.writableLength,
    // Its connection ends, not it.
    isEnded: () => false,
    seen: nothingSeen(),
  }
}
