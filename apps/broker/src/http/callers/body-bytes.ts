import type { IncomingMessage } from 'node:http'
import { BODY_BYTES_MAX } from '@bourse/contract'
import { LARGE_BODY_BYTES } from '../../fair-share/index.ts'

/** Of a body that is sent without saying how long it is. */
export const UNKNOWN = -1
/** What such a body counts as: one caller may have 64 of them on their way. */
const UNKNOWN_BODY_BYTES = 128 * 1024
/** So much of a body that is too large is read, so that its sender gets the answer. */
const TOO_LARGE_BYTES_MAX = 16 * 1024 * 1024

/** Read from the list as it came: to make an object of all headers takes longer. */
export function bodyBytesOf({ rawHeaders }: IncomingMessage): number {
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (name.length === 14 && name.toLowerCase() === 'content-length')
      return Number(rawHeaders[at + 1])
    if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') return UNKNOWN
  }
  return 0
}

/** What is too large costs as much as the largest; what is unknown is charged when it is here. */
export function chargedBytes(bytes: number): number {
  return bytes === UNKNOWN ? 0 : Math.min(bytes, BODY_BYTES_MAX)
}

/** What a body counts as among the large ones that are on their way; 0 for a small one. */
export function largeBytes(bytes: number): number {
  if (bytes === UNKNOWN) return UNKNOWN_BODY_BYTES
  return bytes > LARGE_BODY_BYTES ? bytes : 0
}

/**
 * Closing on a caller that is still sending resets the connection, and the answer is lost with it.
 * So the rest of a body is read and dropped after an answer, but not without end.
 */
export function dropTheRest(request: IncomingMessage, isTooLarge: boolean): void {
  const bytesMax = isTooLarge ? TOO_LARGE_BYTES_MAX : BODY_BYTES_MAX
  let bytes = 0
  request.on('data', ({ length }: Buffer) => {
    bytes += length
    if (bytes > bytesMax) request.destroy()
  })
}
