import { Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { constants, type Http2SecureServer, type ServerHttp2Session } from 'node:http2'
import { Server as HttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import { TLSSocket, Server as TlsServer } from 'node:tls'
import { createArrivals } from './arrivals.ts'
import { type Connection, createConnection, outputOf } from './connection.ts'
import { onFirstRecord } from './first-record.ts'
import type { ConnectionLimits } from './limits.ts'
import { closeWithoutStacks, isPipelined, plainSocketOf } from './node-socket.ts'
import { createOpenConnections, type Refusal } from './open-connections.ts'
import { lookAt, type Overdue } from './output-watch.ts'
import { askForCertificatesByBytes } from './peer-certificate.ts'

/** Why a connection was not kept. */
export type Reason =
  | Refusal
  | Overdue
  | 'silent'
  | 'flooded'
  | 'handshake'
  | 'room'
  | 'pipelined'
  | 'memory'
export type KeptServer = HttpServer | TlsServer | Http2SecureServer
export type PortOptions = Readonly<{ name: string; limits: ConnectionLimits }>
type Ports = Readonly<{
  now(): number
  opened(): void
  closed(): void
  defer(next: () => void): void
}>

export type KeptPort = ReturnType<typeof keepPort>

/** Keeps the connections of one server within its limits, from accept to close. */
export function keepPort(server: KeptServer, { name, limits }: PortOptions, ports: Ports) {
  const { now, opened, closed, defer } = ports
  const connections = new Map<Socket, Connection>()
  const dropped = new Map<Reason, number>()
  let refusedAt = Number.NEGATIVE_INFINITY
  let floodedAt = Number.NEGATIVE_INFINITY
  const open = createOpenConnections<Connection>({ limits, drop })
  const listeners = server instanceof TlsServer ? server.listeners('connection') : []
  const arrivals = createArrivals<Connection>({ limits, begin, drop, defer })

  if (server instanceof TlsServer) keepHandshakes(server)
  else server.on('connection', (socket: Socket) => enter(note(socket)))
  if (server instanceof HttpServer || server instanceof HttpsServer) {
    server.on('request', heard)
    // Otherwise Node answers 417 itself, without rate limits and metrics.
    server.on('checkExpectation', (...asked) => server.emit('request', ...asked))
  }

  return { name, limits, sweep, drop, figures, connections: () => connections.values() }

  function keepHandshakes(tls: TlsServer): void {
    askForCertificatesByBytes()
    // A handshake starts on its turn, not on accept.
    tls.removeAllListeners('connection')
    tls.on('connection', arrive)
    // First, so that later listeners find the socket here.
    tls.prependListener('secureConnection', welcome)
    tls.on('tlsClientError', (_error: Error, socket: TLSSocket) => fail(socket))
    tls.on('session', noteStreams)
  }

  function note(plain: Socket): Connection {
    const connection = createConnection(plain, now())
    connections.set(plain, connection)
    plain.once('close', () => {
      forget(connection)
      closed()
    })
    opened()
    return connection
  }

  function forget(connection: Connection): void {
    connections.delete(connection.plain)
    arrivals.leave(connection)
    open.leave(connection)
  }

  function arrive(plain: Socket): void {
    const connection = note(plain)
    // Before TLS there is no other error listener, and a reset would crash the process.
    plain.on('error', ignore)
    const hello = () => arrivals.speak(connection)
    onFirstRecord(plain, hello, () => plain.destroy())
    arrivals.arrive(connection)
  }

  function begin({ plain }: Connection): void {
    for (const listener of listeners) listener.call(server, plain)
  }

  function welcome(socket: TLSSocket): void {
    const connection = connections.get(plainSocketOf(socket))
    // It was dropped or closed during its last handshake message.
    if (!connection) return void socket.destroy()
    arrivals.leave(connection)
    connection.socket = socket
    connection.caller = socket.getPeerX509Certificate()?.subject ?? connection.address
    enter(connection)
  }

  /** Destroyed, not ended: the peer might never acknowledge an end. */
  function fail(socket: TLSSocket): void {
    const connection = connections.get(plainSocketOf(socket))
    socket.destroy()
    if (connection) drop(connection, 'handshake')
  }

  function enter(connection: Connection): void {
    const refusal = open.enter(connection)
    if (!refusal) return
    refusedAt = now()
    drop(connection, refusal)
  }

  function heard({ socket }: IncomingMessage, answer: ServerResponse): void {
    if (!isPipelined(socket, answer)) return
    const connection = connections.get(socket instanceof TLSSocket ? plainSocketOf(socket) : socket)
    if (!connection) return
    connection.pipelined ??= new Set()
    const { pipelined } = connection
    pipelined.add(answer)
    answer.once('close', () => pipelined.delete(answer))
    if (pipelined.size > limits.pipelinedMax) drop(connection, 'pipelined')
  }

  function noteStreams(session: ServerHttp2Session): void {
    const connection = connections.get(plainSocketOf(session.socket))
    if (!connection) return
    const streams: Connection['streams'] = new Map()
    connection.streams = streams
    session.on('stream', (stream) => {
      streams.set(stream, outputOf(stream))
      stream.once('close', () => streams.delete(stream))
    })
  }

  function drop(connection: Connection, reason: Reason): void {
    // Now, since it closes later: it must not be dropped twice.
    forget(connection)
    count(reason)
    if (reason === 'flooded') floodedAt = now()
    if (connection.pipelined) closeWithoutStacks(connection.socket)
    connection.socket.destroy()
    connection.plain.destroy()
  }

  function count(reason: Reason): void {
    dropped.set(reason, (dropped.get(reason) ?? 0) + 1)
  }

  function sweep(at: number): void {
    // A closing server would wait for silent connections.
    if (server.listening) arrivals.sweep(at)
    else arrivals.dropAll()
    for (const connection of open.all()) {
      const overdue = lookAt(connection, at, limits)
      if (overdue) drop(connection, overdue)
      else if (connection.streams) endUnread(connection.streams, at)
    }
  }

  function endUnread(streams: NonNullable<Connection['streams']>, at: number): void {
    for (const [stream, output] of streams) {
      if (lookAt(output, at, limits) === undefined) continue
      count('unread')
      stream.close(constants.NGHTTP2_CANCEL)
      stream.destroy()
    }
  }

  function figures() {
    const arriving = arrivals.count()
    const handshakes = arrivals.handshakes()
    return { name, open: open.count(), arriving, handshakes, dropped, refusedAt, floodedAt }
  }
}

const ignore = () => undefined
