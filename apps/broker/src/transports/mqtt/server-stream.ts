import { isIP } from 'node:net'
import { Duplex } from 'node:stream'
import { type ConnectionOptions, connect } from 'node:tls'
import type { LeavingOut } from './leave-out.ts'

/** All that is read is decrypted into the same memory. */
const READ_BYTES = 64 * 1024
/** Until the server is read on, by the bytes left out: the rest of a flood stays there. */
const REST_MS_PER_BYTE = 20 / (1024 * 1024)
/** A timer is no finer than this. */
const REST_MS_MIN = 2

type Address = ConnectionOptions & Readonly<{ host: string }>
type Pieces = readonly Readonly<{ chunk: Buffer }>[]
type Done = (error?: Error | null) => void

/** A connection to an MQTT server, without the payloads that are left out. */
export function openServerStream(address: Address, leaving: LeavingOut): Duplex {
  const onread = { buffer: Buffer.allocUnsafeSlow(READ_BYTES), callback: read }
  // A proxy before several servers chooses by this name; an address must not be one.
  const named = isIP(address.host) === 0 && { servername: address.host }
  // Its types do not know `onread`, its documentation does.
  const options: ConnectionOptions = Object.assign({ onread }, address, named)
  const socket = connect(options)
  let restMs = 0
  let isWanted = true
  let resting: NodeJS.Timeout | undefined
  const stream = new Duplex({
    read: readOn,
    writev,
    final: (done) => void socket.end(done),
    destroy(error, done) {
      clearTimeout(resting)
      socket.destroy()
      done(error)
    },
  })
  socket.on('error', (error) => stream.destroy(error))
  socket.on('end', () => stream.push(null))
  socket.on('close', () => stream.destroy())
  return stream

  /** False: nothing more is read until the socket is resumed. */
  function read(length: number, buffer: Uint8Array): boolean {
    const passed = leaving.pass(Buffer.from(buffer.buffer, buffer.byteOffset, length))
    if (passed.length > 0) isWanted = stream.push(passed)
    restMs += leaving.takeDropped() * REST_MS_PER_BYTE
    if (restMs >= REST_MS_MIN) rest()
    return isWanted && resting === undefined
  }

  function rest(): void {
    resting = setTimeout(() => {
      resting = undefined
      if (isWanted) socket.resume()
    }, restMs)
    restMs = 0
  }

  function readOn(): void {
    isWanted = true
    if (resting === undefined) socket.resume()
  }

  /** At once: the library writes a packet in several pieces. */
  function writev(pieces: Pieces, done: Done): void {
    socket.cork()
    for (const { chunk } of pieces.slice(0, -1)) socket.write(chunk)
    socket.write(pieces.at(-1)?.chunk ?? '', done)
    socket.uncork()
  }
}
