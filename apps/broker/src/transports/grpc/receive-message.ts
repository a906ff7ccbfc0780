import type { ServerHttp2Stream } from 'node:http2'
import { BODY_BYTES_MAX } from '@bourse/contract'
import { BODY_TOO_LARGE } from '../../http/callers/charge-requests.ts'
import { BrokerError } from '../../http/errors/broker-error.ts'
import type { Message } from '../relay/charge-carried.ts'

type Listeners = Readonly<{
  /** The message is whole; it no longer counts as one that is received. */
  onWhole(bytes: Buffer): void
  /** There is no room or no time left for the rest of it. */
  onRefused(why: BrokerError): void
  /** The other side left before it, or in the middle. */
  onAbandoned(): void
}>

const ENVELOPE_BYTES_MAX = 8 * 1024
export const MESSAGE_BYTES_MAX = BODY_BYTES_MAX + ENVELOPE_BYTES_MAX
/** Time for a whole message: as long as it comes, it takes memory. */
export const MESSAGE_WITHIN_MS = 15_000
const FIRST_BYTES = 1_024

/** Reads the one message of a stream. Exactly one of the listeners is called, once. */
export function receiveMessage(
  stream: ServerHttp2Stream,
  message: Message,
  { onWhole, onRefused, onAbandoned }: Listeners,
): void {
  // Into one buffer: parts of a byte each would take a hundred times their size.
  let buffer = Buffer.alloc(0)
  let length = 0
  const late = setTimeout(() => end(() => onRefused(tooLate())), MESSAGE_WITHIN_MS)
  const onClose = () => end(onAbandoned)
  const onEnd = () => {
    // A reset looks like an end, too.
    const isLeft = stream.destroyed || stream.closed || length === 0
    end(isLeft ? onAbandoned : () => onWhole(buffer.subarray(0, length)))
  }
  stream.on('data', take)
  stream.once('end', onEnd)
  stream.once('close', onClose)

  function take(part: Buffer): void {
    const why = makeRoom(length + part.length)
    if (why) return void end(() => onRefused(why))
    part.copy(buffer, length)
    length += part.length
  }

  function makeRoom(needed: number): BrokerError | undefined {
    if (needed <= buffer.length) return undefined
    if (needed > MESSAGE_BYTES_MAX) return new BrokerError('BodyTooLarge', BODY_TOO_LARGE)
    const size = Math.min(MESSAGE_BYTES_MAX, Math.max(needed, FIRST_BYTES, 2 * buffer.length))
    const why = message.hold(size - buffer.length)
    if (why) return why
    // Not from the pool: a small part of it would keep all of it.
    const larger = Buffer.allocUnsafeSlow(size)
    buffer.copy(larger, 0, 0, length)
    buffer = larger
    return undefined
  }

  function end(tell: () => void): void {
    clearTimeout(late)
    stream.off('data', take)
    stream.off('end', onEnd)
    stream.off('close', onClose)
    message.letGo()
    tell()
    buffer = Buffer.alloc(0)
  }
}

function tooLate(): BrokerError {
  const seconds = MESSAGE_WITHIN_MS / 1_000
  return new BrokerError('RequestTimeout', `The call did not arrive within ${seconds} seconds.`)
}
