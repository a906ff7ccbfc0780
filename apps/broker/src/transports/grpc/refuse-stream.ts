import { constants, type ServerHttp2Stream } from 'node:http2'
import { brokerService } from '@bourse/contract/grpc'
import { toBinary } from '@bufbuild/protobuf'
import type { BrokerError } from '../../http/errors/broker-error.ts'
import { refusal } from '../relay/refusal.ts'
import { toMessage } from './broker-routes.ts'

const FLAG_BYTES = 1
const LENGTH_BYTES = 4

/** Answers a stream whose call is not taken, in the words of the API, and reads no more of it. */
export function refuseStream(stream: ServerHttp2Stream, why: BrokerError): void {
  if (stream.destroyed || stream.closed) return
  stream.respond(
    {
      [constants.HTTP2_HEADER_STATUS]: 200,
      [constants.HTTP2_HEADER_CONTENT_TYPE]: 'application/grpc+proto',
    },
    { waitForTrailers: true },
  )
  stream.once('wantTrailers', () => {
    stream.sendTrailers({ 'grpc-status': '0' })
    // Not before they have left: else they never would.
    setImmediate(() => stream.close(constants.NGHTTP2_NO_ERROR))
  })
  stream.end(framed(toBinary(brokerService.method.ask.output, toMessage(refusal(why)))))
}

/** As gRPC writes a message: not compressed, and how long it is. */
function framed(message: Uint8Array): Buffer {
  const frame = Buffer.alloc(FLAG_BYTES + LENGTH_BYTES + message.length)
  frame.writeUInt32BE(message.length, FLAG_BYTES)
  frame.set(message, FLAG_BYTES + LENGTH_BYTES)
  return frame
}
