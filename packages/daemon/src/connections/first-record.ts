import type { Readable } from 'node:stream'

const HEADER_BYTES = 5
const HANDSHAKE_RECORD = 0x16
/** The limit of TLS for an unencrypted record. */
const RECORD_BYTES_MAX = 16 * 1024

/**
 * Calls `arrived` when the first TLS record is complete, or is not TLS. Starting a handshake
 * earlier would cost a client five bytes, and us fifty thousand.
 */
export function onFirstRecord(socket: Readable, arrived: () => void, ended: () => void): void {
  const parts: Buffer[] = []
  let held = 0
  let wanted: number | undefined
  socket.on('readable', look)

  function look(): void {
    // Read everything: data left in the socket would hide that the peer has hung up.
    const part: Buffer | null = socket.read()
    // Readable without data: the end of the stream.
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

/** A single part is not copied: the copy would be a slice that keeps a larger buffer alive. */
function joined(parts: readonly Buffer[]): Buffer {
  const [first] = parts
  return first && parts.length === 1 ? first : Buffer.concat(parts)
}

function recordBytes(header: Buffer): number {
  const length = header.readUInt16BE(HEADER_BYTES - 2)
  const isRecord = header[0] === HANDSHAKE_RECORD && length <= RECORD_BYTES_MAX
  return isRecord ? HEADER_BYTES + length : HEADER_BYTES
}
