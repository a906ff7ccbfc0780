import type { ServerHttp2Stream } from 'node:http2'
import type { BrokerError } from '../../http/errors/broker-error.ts'
import { refusal } from '../relay/refusal.ts'
import { beginAnswer, frameOf } from './frames.ts'

/** Answers a stream whose call is not taken, in the words of the API, and reads no more of it. */
export function refuseStream(stream: ServerHttp2Stream, why: BrokerError): void {
  if (stream.destroyed || stream.closed) return
  beginAnswer(stream)
  stream.end(frameOf(refusal(why)))
}
