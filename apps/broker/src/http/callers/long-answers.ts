import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { TLSSocket } from 'node:tls'
import type { FastifyInstance, FastifyReply } from 'fastify'

/** Answers longer than this are counted until they are read, and sent in pieces. */
export const LONG_ANSWER_BYTES = 64 * 1024
const PIECE_BYTES = 32 * 1024

/**
 * A TLS connection keeps as much memory as its longest write took, for as long as it is open: a few
 * thousand that were sent a page of a megabyte each would fill the memory. So a long answer is
 * written piece by piece, as its reader takes them. The last hook: all headers are known by now.
 */
export function sendLongAnswersInPieces(server: FastifyInstance): void {
  server.addHook('onSend', (request, reply, payload, done) => {
    const isLong = isBytes(payload) && payload.length > LONG_ANSWER_BYTES
    if (isLong && request.raw.socket instanceof TLSSocket) sendPieces(reply, Buffer.from(payload))
    else done(null, payload)
  })
}

export function isBytes(payload: unknown): payload is string | Buffer {
  return typeof payload === 'string' || Buffer.isBuffer(payload)
}

function sendPieces(reply: FastifyReply, bytes: Buffer): void {
  const { raw } = reply.header('content-length', bytes.length).hijack()
  raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders)
  writePieces(raw, bytes)
}

function writePieces(response: ServerResponse, bytes: Buffer): void {
  let at = 0
  response.on('drain', writeOn)
  writeOn()

  function writeOn(): void {
    let hasRoom = true
    while (hasRoom && at < bytes.length && !response.destroyed) {
      hasRoom = response.write(bytes.subarray(at, at + PIECE_BYTES))
      at += PIECE_BYTES
    }
    if (at >= bytes.length) response.end()
  }
}
