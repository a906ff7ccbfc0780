import type { Readable } from 'node:stream'

const HEADER_BYTES = 5
const HANDSHAKE_RECORD = 0x16
/** What TLS allows in a record that is not encrypted. */
const RECORD_BYTES_MAX = 16 * 1024

/**
 * Calls back when the first record of TLS is here in full, or what can be none: to begin with less
 * would cost a client nothing but five bytes, and us fifty thousand.
 */
export function onFirstRecord(socket: Readable, arrived: () => void, ended: () => void): void {
  const parts: Buffer[] = []
  let held = 0
  let wanted: number | undefined
  socket.on('readable', look)

  function look(): void {
    // All of it is taken: what stays in the socket would hide that the other side has hung up.
    const part: Buffer | null = socket.read()
    // Told of nothing: nothing more will come.
    if (part === null) done(ended)
    else add(part)
  }

  function add(part: Buffer): void {
    parts.push(part)
    held += part.length
    if (held >= HEADER_BYTES) wanted ??= recordBytes(joined(parts))
    if (wanted !== undefined && held >= wanted) done(putBack)
  }

  function putBack(): void {
    socket.unshift(joined(parts))
    arrived()
  }

  function done(next: () => void): void {
    socket.off('readable', look)
    next()
  }
}

/** One part as it is: a copy would be a slice of something larger, and keep all of that. */
function joined(parts: readonly Buffer[]): Buffer {
  const [first] = parts
  return first && parts.length === 1 ? first : Buffer.concat(parts)
}

function recordBytes(header: Buffer): number {
  const length = header.readUInt16BE(HEADER_BYTES - 2)
  const isRecord = header[0] === HANDSHAKE_RECORD && length <= RECORD_BYTES_MAX
  return isRecord ? HEADER_BYTES + length : HEADER_BYTES
}
