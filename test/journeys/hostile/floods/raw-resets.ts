import { connect, type TLSSocket } from 'node:tls'

type Options = Readonly<{
  port: number
  identity: Readonly<{ cert: Buffer; key: Buffer; ca: Buffer }>
  onOpen(): void
  onCut(): void
}>

const AT_ONCE = 50
const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
const CANCEL = 8
const frames = { headers: 1, reset: 3, settings: 4 }
const END_HEADERS = 4

/**
 * Begins streams and resets them, as fast as the other side reads. Written by hand: the library's
 * client does not notice that its connection was ended while it writes.
 */
export function resetStreams({ port, identity, onOpen, onCut }: Options): void {
  const socket = connect({ port, ...identity, ALPNProtocols: ['h2'] })
  // Being cut off is what these connections are for.
  socket.on('error', () => {})
  socket.once('close', onCut)
  socket.resume()
  socket.once('secureConnect', () => {
    socket.write(Buffer.concat([Buffer.from(PREFACE), frame(frames.settings, 0)]))
    onOpen()
    goOn(socket, 1)
  })
}

function goOn(socket: TLSSocket, firstStream: number): void {
  if (socket.destroyed) return
  const streams = Array.from({ length: AT_ONCE }, (_, index) => firstStream + 2 * index)
  socket.write(Buffer.concat(streams.flatMap(resetStream)), () =>
    setImmediate(goOn, socket, firstStream + 2 * AT_ONCE),
  )
}

const resetStream = (stream: number) => [
  frame(frames.headers, stream, HEADERS, END_HEADERS),
  frame(frames.reset, stream, Buffer.from([0, 0, 0, CANCEL])),
]

/** As HPACK writes them: POST and https have a number, the others are spelled out. */
const HEADERS = Buffer.concat([
  Buffer.from([0x83, 0x87]),
  spelled([0x04], '/bourse.v1.Broker/Ask'),
  spelled([0x01], 'broker.invalid'),
  spelled([0x0f, 0x10], 'application/grpc+proto'),
])

function spelled(name: readonly number[], value: string): Buffer {
  return Buffer.from([...name, value.length, ...Buffer.from(value)])
}

function frame(type: number, stream: number, payload = Buffer.alloc(0), flags = 0): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}
