// A process of its own: what asks and never reads must not be the process that measures.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:tls'

export type Unread = Readonly<{
  port: number
  certPath: string
  connections: number
  /** What each connection asks, again and again, without reading an answer. */
  path: string
  times: number
  seconds: number
}>

const order: Unread = JSON.parse(process.argv[2] ?? '{}')
const { port, certPath, connections, path, times, seconds } = order
const file = (name: string) => readFileSync(join(certPath, name), 'utf8')
const identity = { cert: file('tls.crt'), key: file('tls.key'), ca: file('ca.crt') }
const request = `GET ${path} HTTP/1.1\r\nHost: broker\r\n\r\n`

for (let count = 0; count < connections; count++) dial()
setTimeout(() => process.exit(0), seconds * 1_000)

/** Another one for each that is cut off, as long as the attack lasts. */
function dial(): void {
  const socket = connect({ port, host: '127.0.0.1', ...identity })
  socket.pause()
  socket.on('error', () => undefined)
  socket.on('close', () => setTimeout(dial, 100))
  socket.once('secureConnect', () => socket.write(request.repeat(times)))
}
