// A process of its own: what asks and never reads must not be the process that measures.
import { connect } from 'node:tls'
import { identityIn } from '@bourse/testkit/identity'

export type Unread = Readonly<{
  port: number
  certPath: string
  connections: number
  /** What each connection asks, one after the other, without reading an answer. */
  path: string
}>

/** Each is answered before the next: what waits is what the kernel has no room for. */
const ASK_EVERY_MS = 200

const order: Unread = JSON.parse(process.argv[2] ?? '{}')
const { port, certPath, connections, path } = order
const identity = identityIn(certPath)
const request = `GET ${path} HTTP/1.1\r\nHost: broker\r\n\r\n`

for (let count = 0; count < connections; count++) dial()
// Sockets that are not read from do not keep a process alive.
setInterval(() => undefined, 60_000)

function dial(): void {
  const socket = connect({ port, host: '127.0.0.1', ...identity })
  socket.pause()
  socket.on('error', () => undefined)
  const asking = setInterval(() => socket.write(request), ASK_EVERY_MS)
  socket.on('close', () => clearInterval(asking))
}
