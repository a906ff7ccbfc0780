import { constants, type ServerHttp2Stream } from 'node:http2'
import type { BrokerError } from '../../http/errors/broker-error.ts'
import { refusal } from '../relay/refusal.ts'
import { beginAnswer, frameOf } from './frames.ts'

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
