import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import { brokerService, type CallMessage } from '@bourse/contract/grpc'
import { fromBinary } from '@bufbuild/protobuf'
import { type FairShare, LARGE_BODY_BYTES } from '../../fair-share/index.ts'
import type { CallStream, Method } from './broker-routes.ts'
import { beginAnswer, FRAME_HEAD_BYTES, failStream, frameOf, isCompressed } from './frames.ts'

/** A call that is here as a whole. */
export type WholeCall = Readonly<{
  stream: ServerHttp2Stream
  headers: IncomingHttpHeaders
  /** One frame. */
  bytes: Buffer
  account: string
  caller: CallStream
  /** Once the frame is read: until then it counts for its caller. */
  letGo(): void
}>
type Options = Readonly<{
  methods: Readonly<{ ask: Method; watch: Method }>
  line: FairShare['line']
  onFault(fault: unknown): void
}>

/** Codes of gRPC. */
const INVALID_ARGUMENT = 3
const UNIMPLEMENTED = 12

/**
 * Hands calls to the methods of the service. The library's own way is general, and takes several
 * times as long: its callers would have the event loop for that.
 */
export function answerCalls({ methods, line, onFault }: Options) {
  const { typeName, method } = brokerService
  const known = new Map<unknown, Method>([
    [`/${typeName}/${method.ask.name}`, methods.ask],
    [`/${typeName}/${method.watch.name}`, methods.watch],
  ])

  return function answer({ stream, headers, bytes, letGo, ...call }: WholeCall): void {
    const method = known.get(headers[constants.HTTP2_HEADER_PATH])
    const isGone = stream.destroyed || stream.closed
    if (isGone || !method || isCompressed(bytes)) {
      letGo()
      const why = method ? 'Send it uncompressed.' : 'There is no such method.'
      if (!isGone) failStream(stream, UNIMPLEMENTED, why)
      return
    }
    const asked = decode(call.account, bytes).finally(letGo)
    carryOut(method, asked, { ...call, stream }).catch((fault) => {
      // Its caller has gone, and needs no answer.
      if (stream.destroyed || stream.closed) return
      onFault(fault)
      stream.close(constants.NGHTTP2_INTERNAL_ERROR)
    })
  }

  /** Apart from the call, which would keep the frame for as long as it takes. */
  function decode(account: string, frame: Buffer): Promise<CallMessage | undefined> {
    return inTurn(account, frame.length, () => readCall(frame))
  }

  async function carryOut(
    method: Method,
    asked: Promise<CallMessage | undefined>,
    { stream, account, caller }: Pick<WholeCall, 'stream' | 'account' | 'caller'>,
  ): Promise<void> {
    const call = await asked
    if (!call) return failStream(stream, INVALID_ARGUMENT, 'It is not a call.')
    for await (const answer of method(call, caller)) {
      const frame = await inTurn(account, answer.body.length, () => frameOf(answer))
      if (stream.destroyed || stream.closed) return
      if (!stream.headersSent) beginAnswer(stream)
      if (!stream.write(frame)) await roomIn(stream)
    }
    stream.end()
  }

  /** What takes milliseconds when it is its caller's turn. */
  async function inTurn<T>(account: string, bytes: number, job: () => T): Promise<T> {
    return bytes > LARGE_BODY_BYTES ? line.run(account, (timed) => timed(job)) : job()
  }
}

/** When it has taken what it was given, or is over. */
async function roomIn(stream: ServerHttp2Stream): Promise<void> {
  if (stream.destroyed) return
  await new Promise<void>((resolve) => {
    stream.once('drain', done)
    stream.once('close', done)

    function done(): void {
      stream.off('drain', done)
      stream.off('close', done)
      resolve()
    }
  })
}

/** Undefined: it is something else, whatever the library says of it. */
function readCall(frame: Buffer): CallMessage | undefined {
  try {
    return fromBinary(brokerService.method.ask.input, frame.subarray(FRAME_HEAD_BYTES))
  } catch {
    return undefined
  }
}
