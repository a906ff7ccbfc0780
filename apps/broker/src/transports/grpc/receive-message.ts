import type { ServerHttp2Stream } from 'node:http2'
import { BODY_BYTES_MAX } from '@bourse/contract'
import { BODY_TOO_LARGE } from '../../http/callers/charge-requests.ts'
import { BrokerError } from '../../http/errors/broker-error.ts'
import type { Message } from '../relay/charge-carried.ts'
import { FRAME_HEAD_BYTES, frameBytes } from './frames.ts'

type Listeners = Readonly<{
  /** The message is whole; it counts until it is let go of. */
  onWhole(bytes: Buffer): void
  /** There is no room or no time left for the rest of it. */
  onRefused(why: BrokerError): void
  /** The other side left before it, or in the middle. */
  onAbandoned(): void
}>

const ENVELOPE_BYTES_MAX = 8 * 1024
const MESSAGE_BYTES_MAX = BODY_BYTES_MAX + ENVELOPE_BYTES_MAX
/** Time for a whole message: as long as it comes, it takes memory. */
export const MESSAGE_WITHIN_MS = 15_000

/**
 * Reads the one frame of a stream. Its head says how long it is: what there is no room for is
 * refused before it comes. Exactly one of the listeners is called, once.
 */
export function receiveMessage(
  stream: ServerHttp2Stream,
  message: Message,
  { onWhole, onRefused, onAbandoned }: Listeners,
): void {
  // Into one buffer: parts of a byte each would take a hundred times their size.
  let buffer = Buffer.alloc(FRAME_HEAD_BYTES)
  let length = 0
  const late = setTimeout(() => refuse(tooLate()), MESSAGE_WITHIN_MS)
  const onClose = () => abandon()
  const onEnd = () => {
    // A reset looks like an end, too.
    const isWhole = length >= FRAME_HEAD_BYTES && length === frameBytes(buffer)
    if (!isWhole || stream.destroyed || stream.closed) return abandon()
    end()
    onWhole(buffer)
  }
  stream.on('data', take)
  stream.once('end', onEnd)
  stream.once('close', onClose)

  function take(part: Buffer): void {
    const inHead = Math.max(0, Math.min(part.length, FRAME_HEAD_BYTES - length))
    append(part.subarray(0, inHead))
    const isHeadWhole = inHead > 0 && length === FRAME_HEAD_BYTES
    const why = isHeadWhole ? makeRoom() : undefined
    const isTooMuch = length + part.length - inHead > buffer.length
    if (why || isTooMuch) refuse(why ?? tooLarge())
    else append(part.subarray(inHead))
  }

  function append(part: Buffer): void {
    part.copy(buffer, length)
    length += part.length
  }

  /** For all that its head says. */
  function makeRoom(): BrokerError | undefined {
    const size = frameBytes(buffer)
    if (size > MESSAGE_BYTES_MAX) return tooLarge()
    const why = message.hold(size)
    if (why) return why
    // Not from the pool: a small part of it would keep all of it.
    const whole = Buffer.allocUnsafeSlow(size)
    buffer.copy(whole)
    buffer = whole
    return undefined
  }

  function refuse(why: BrokerError): void {
    abandonBytes()
    onRefused(why)
  }

  function abandon(): void {
    abandonBytes()
    onAbandoned()
  }

  function abandonBytes(): void {
    end()
    message.letGo()
    buffer = Buffer.alloc(0)
  }

  function end(): void {
    clearTimeout(late)
    stream.off('data', take)
    stream.off('end', onEnd)
    stream.off('close', onClose)
  }
}

const tooLarge = () => new BrokerError('BodyTooLarge', BODY_TOO_LARGE)

function tooLate(): BrokerError {
  const seconds = MESSAGE_WITHIN_MS / 1_000
  return new BrokerError('RequestTimeout', `The call did not arrive within ${seconds} seconds.`)
}
