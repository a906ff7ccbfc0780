import {
  constants,
  Http2ServerRequest,
  Http2ServerResponse,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2'
import {
  Code,
  ConnectError,
  type ConnectRouter,
  type ContextValues,
  createConnectRouter,
} from '@connectrpc/connect'
import type { UniversalHandlerFn } from '@connectrpc/connect/protocol'
import {
  compressionBrotli,
  compressionGzip,
  universalRequestFromNodeRequest,
  universalResponseToNodeResponse,
} from '@connectrpc/connect-node'
import { MESSAGE_BYTES_MAX } from './receive-message.ts'

/** A call that is here as a whole. */
export type WholeCall = Readonly<{
  stream: ServerHttp2Stream
  headers: IncomingHttpHeaders
  bytes: Buffer
  values: ContextValues
}>
type Options = Readonly<{
  routes(router: ConnectRouter): void
  onFault(fault: unknown): void
}>

/** Hands calls to the routes of a service; nothing of a call is read there any more. */
export function answerCalls({ routes, onFault }: Options) {
  const router = createConnectRouter({
    grpcWeb: false,
    connect: false,
    acceptCompression: [compressionGzip, compressionBrotli],
    readMaxBytes: MESSAGE_BYTES_MAX,
  })
  routes(router)
  const handlers = new Map(router.handlers.map((one) => [one.requestPath, one]))

  return function answer({ stream, headers, bytes, values }: WholeCall): void {
    const handle = handlers.get(String(headers[constants.HTTP2_HEADER_PATH]))
    if (!handle)
      return void stream.respond({ [constants.HTTP2_HEADER_STATUS]: 404 }, { endStream: true })
    carryOut(handle, { stream, headers, bytes, values }).catch((fault) => {
      if (ConnectError.from(fault).code !== Code.Aborted) onFault(fault)
      if (!stream.headersSent) stream.close(constants.NGHTTP2_INTERNAL_ERROR)
    })
  }
}

async function carryOut(
  handle: UniversalHandlerFn,
  { stream, headers, bytes, values }: WholeCall,
): Promise<void> {
  const request = new Http2ServerRequest(stream, withAuthority(headers), {}, [])
  const response = new Http2ServerResponse(stream)
  const asked = universalRequestFromNodeRequest(request, response, undefined, values)
  await universalResponseToNodeResponse(await handle({ ...asked, body: once(bytes) }), response)
}

/** Not the one that was sent: some make no address, and nothing is asked there. */
function withAuthority(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return { ...headers, [constants.HTTP2_HEADER_AUTHORITY]: 'broker.invalid' }
}

async function* once(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes
}
