import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2'
import { identityIn } from '@bourse/testkit/identity'

const LONG = 'x'.repeat(1_000_000)
/** What it may have written that has not left: with less, our own side refuses the answers. */
const UNSENT_MB_MAX = 1_000

export type RawCall = Readonly<{ method?: string; path: string; body?: string }>
/** `status`: 0 if there was none. */
export type RawAnswer = Readonly<{ status: number; isToldWhen: boolean }>
export type RawGrpc = ReturnType<typeof openRawGrpc>
type Options = Readonly<{
  url: string
  /** Directory with tls.crt, tls.key and ca.crt. */
  certPath: string
  /** What the server may send of each answer before it is read. */
  windowBytes?: number
}>

/** gRPC written by hand: it can leave, half-send and not read as no library would. */
export function openRawGrpc({ url, certPath, windowBytes }: Options) {
  const session: ClientHttp2Session = connect(url, {
    ...identityIn(certPath),
    maxSessionMemory: UNSENT_MB_MAX,
    ...(windowBytes !== undefined && { settings: { initialWindowSize: windowBytes } }),
  })
  // Being cut off is what these connections are for.
  session.on('error', () => {})

  return {
    ...{ begin, half, open, ask, leave },
    whenReady: (listener: () => void) => void session.once('connect', listener),
    whenOver: (listener: () => void) => void session.once('close', listener),
    isOver: () => session.closed || session.destroyed,
    close: () => session.destroy(),
  }

  /** Only the headers: the call itself follows, or does not. */
  function begin(rpc: 'Ask' | 'Watch'): ClientHttp2Stream {
    const stream = session.request({
      [constants.HTTP2_HEADER_METHOD]: 'POST',
      [constants.HTTP2_HEADER_PATH]: `/bourse.v1.Broker/${rpc}`,
      [constants.HTTP2_HEADER_CONTENT_TYPE]: 'application/grpc+proto',
      te: 'trailers',
    })
    stream.on('error', () => {})
    return stream
  }

  /** A call of nearly a mebibyte, all but its end. */
  function half(): ClientHttp2Stream {
    const stream = begin('Ask')
    stream.write(frameOf({ method: 'POST', path: '/advertisements', body: LONG }).subarray(0, -1))
    return stream
  }

  function open(rpc: 'Ask' | 'Watch', call: RawCall): ClientHttp2Stream {
    const stream = begin(rpc)
    stream.end(frameOf(call))
    return stream
  }

  /** The status of the first answer; 0 if there is none. */
  function ask(rpc: 'Ask' | 'Watch', call: RawCall): Promise<number> {
    return firstStatus(open(rpc, call))
  }

  function leave(stream: ClientHttp2Stream): void {
    stream.close(constants.NGHTTP2_CANCEL)
  }
}

/** All that a stream brings. */
export function wholeAnswer(stream: ClientHttp2Stream): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const parts: Buffer[] = []
    stream.on('data', (part: Buffer) => parts.push(part))
    stream.once('close', () => {
      const bytes = Buffer.concat(parts)
      const status = bytes.length >= HEAD_BYTES ? statusIn(bytes) : 0
      resolve({ status, isToldWhen: bytes.includes('retry-after') })
    })
  })
}

/** Of the first answer that a stream brings; 0 if it ends without. */
export function firstStatus(stream: ClientHttp2Stream): Promise<number> {
  return new Promise((resolve) => {
    let bytes = Buffer.alloc(0)
    stream.on('data', (part: Buffer) => {
      // The rest of it does not matter, and there may be much of it.
      if (bytes.length < HEAD_BYTES) bytes = Buffer.concat([bytes, part])
      if (bytes.length >= HEAD_BYTES) resolve(statusIn(bytes))
    })
    stream.once('close', () => resolve(bytes.length >= HEAD_BYTES ? statusIn(bytes) : 0))
  })
}

/** A flag and a length; then the status is the first field: its tag, and a varint of two bytes. */
const FRAME_BYTES = 5
const HEAD_BYTES = FRAME_BYTES + 3

function statusIn(frame: Buffer): number {
  return ((frame[FRAME_BYTES + 1] ?? 0) & 0x7f) | ((frame[FRAME_BYTES + 2] ?? 0) << 7)
}

export function frameOf({ method = 'GET', path, body = '' }: RawCall): Buffer {
  const message = Buffer.concat([field(1, method), field(2, path), field(3, body)])
  const head = Buffer.alloc(FRAME_BYTES)
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
}

function field(number: number, text: string): Buffer {
  const value = Buffer.from(text)
  const length: number[] = []
  for (let left = value.length; ; left >>= 7) {
    length.push(left > 0x7f ? (left & 0x7f) | 0x80 : left)
    if (left <= 0x7f) break
  }
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length]), value])
}
