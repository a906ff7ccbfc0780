/** Bodies longer than this are heavy: they are read on credit, and parsed one after the other. */
export const LARGE_BODY_BYTES = 64 * 1024
/** A token is what an ordinary request costs, about 0.1 ms of the event loop. */
export const TOKENS_PER_MS = 10
/** A new TLS connection: signing, and checking a chain of certificates. */
export const HANDSHAKE_TOKENS = 10

/** To carry a call by gRPC or MQTT, beside the call itself. */
export const CARRIED_TOKENS = 4

const FREE_BODY_BYTES = 4 * 1024
const BODY_BYTES_PER_TOKEN = 1024
const FREE_ANSWER_BYTES = 16 * 1024
const ANSWER_BYTES_PER_TOKEN = 16 * 1024
/** Names and values, so twice the number of headers. */
const FREE_HEADER_PARTS = 48
const HEADER_PARTS_PER_TOKEN = 24

/** What a request costs before it is looked at; small ones cost 1. */
export function requestTokens(bodyBytes: number, headerParts: number): number {
  let tokens = 1
  if (bodyBytes > FREE_BODY_BYTES) tokens += (bodyBytes - FREE_BODY_BYTES) / BODY_BYTES_PER_TOKEN
  if (headerParts > FREE_HEADER_PARTS)
    tokens += (headerParts - FREE_HEADER_PARTS) / HEADER_PARTS_PER_TOKEN
  return tokens
}

/** What sending an answer costs beyond its request; nothing for small ones. */
export function answerTokens(bytes: number): number {
  return bytes > FREE_ANSWER_BYTES ? (bytes - FREE_ANSWER_BYTES) / ANSWER_BYTES_PER_TOKEN : 0
}
