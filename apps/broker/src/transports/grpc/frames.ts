import { constants, type ServerHttp2Stream } from 'node:http2'
import { brokerService } from '@bourse/contract/grpc'
import type { RelayedAnswer } from '@bourse/contract/relayed'
import { create, toBinary } from '@bufbuild/protobuf'
import type { BrokerError } from '../../http/errors/broker-error.ts'
import { refusal } from '../relay/refusal.ts'

const LENGTH_AT = 1
/** As gRPC writes a message: a flag, which says whether it is compressed, and its length. */
export const FRAME_HEAD_BYTES = 5

export const isCompressed = (frame: Buffer): boolean => frame[0] !== 0
export const frameBytes = (head: Buffer): number => FRAME_HEAD_BYTES + head.readUInt32BE(LENGTH_AT)

export function frameOf({ status, headers, body }: RelayedAnswer): Buffer {
  const { output } = brokerService.method.ask
  const fields = { status, headers: { ...headers }, body: Buffer.from(body) }
  const message = toBinary(output, create(output, fields))
  const frame = Buffer.allocUnsafe(FRAME_HEAD_BYTES + message.length)
  frame[0] = 0
  frame.writeUInt32BE(message.length, LENGTH_AT)
  frame.set(message, FRAME_HEAD_BYTES)
  return frame
}

/** What follows is frames; when they have ended, the stream has, whatever else is to come by it. */
export function beginAnswer(stream: ServerHttp2Stream): void {
  stream.respond(HEADERS, { waitForTrailers: true })
  stream.once('wantTrailers', () => {
    stream.sendTrailers({ 'grpc-status': '0' })
    // Not before they have left: else they never would.
    if (!stream.readableEnded) setImmediate(() => stream.close(constants.NGHTTP2_NO_ERROR))
  })
}

/** A call that cannot be heard; `code` and `message` are gRPC's. */
export function failStream(stream: ServerHttp2Stream, code: number, message: string): void {
  const status = { 'grpc-status': String(code), 'grpc-message': message }
  const accepted = { 'grpc-accept-encoding': 'identity' }
  stream.respond({ ...HEADERS, ...accepted, ...status }, { endStream: true })
}

const HEADERS = {
  [constants.HTTP2_HEADER_STATUS]: 200,
  [constants.HTTP2_HEADER_CONTENT_TYPE]: 'application/grpc+proto',
}

/** Of a refused call, while its refusal leaves. */
const DROPPED_BYTES_MAX = 64 * 1024

/** Answers a stream whose call is not taken, in the words of the API, and reads no more of it. */
export function refuseStream(stream: ServerHttp2Stream, why: BrokerError): void {
  if (stream.destroyed || stream.closed) return
  beginAnswer(stream)
  stream.end(frameOf(refusal(why)))
  dropTheRest(stream)
}

/** With unread bytes in it, a stream is never over; and some would send without end. */
function dropTheRest(stream: ServerHttp2Stream): void {
  let left = DROPPED_BYTES_MAX
  stream.on('data', ({ length }: Buffer) => {
    left -= length
    if (left < 0) stream.close(constants.NGHTTP2_CANCEL)
  })
  stream.resume()
}
