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
  let wanted: number | undefined
  socket.on('readable', look)

  function look(): void {
    const { readableLength } = socket
    if (readableLength >= HEADER_BYTES) wanted ??= recordBytes(socket)
    // Told of nothing: nothing more will come.
    if (readableLength === 0) done(ended)
    else if (wanted !== undefined && readableLength >= wanted) done(arrived)
  }

  function done(tell: () => void): void {
    socket.off('readable', look)
    tell()
  }
}

/** Read once and put back: to put back is to be told of it as of something new. */
function recordBytes(socket: Readable): number {
  const header: Buffer = socket.read(HEADER_BYTES)
  socket.unshift(header)
  const length = header.readUInt16BE(HEADER_BYTES - 2)
  const isRecord = header[0] === HANDSHAKE_RECORD && length <= RECORD_BYTES_MAX
  return isRecord ? HEADER_BYTES + length : HEADER_BYTES
}
