/**
 * Bodies longer than this are parsed one after the other. To parse 64 KiB of brackets takes 3 ms: a
 * caller that has saved its credit would send dozens of them at once.
 */
export const LARGE_BODY_BYTES = 20 * 1024
/** A token is what an ordinary request costs, about 0.1 ms of the event loop. */
export const TOKENS_PER_MS = 10
/** A new TLS connection: signing, and checking a chain of certificates. */
export const HANDSHAKE_TOKENS = 20

/** To carry a call by gRPC or MQTT, beside the call itself. */
export const CARRIED_TOKENS = 4

const FREE_BODY_BYTES = 4 * 1024
const BODY_BYTES_PER_TOKEN = 1024
const FREE_ANSWER_BYTES = 16 * 1024
const ANSWER_BYTES_PER_TOKEN = 16 * 1024
/** Names and values, so twice the number of headers. */
const FREE_HEADER_PARTS = 48
const HEADER_PARTS_PER_TOKEN = 24

/** An address is parsed, routed and logged. */
const FREE_ADDRESS_LENGTH = 1024
const ADDRESS_LENGTH_PER_TOKEN = 1024

type Measures = Readonly<{ bodyBytes: number; headerParts?: number; addressLength?: number }>

/** What a request costs before it is looked at; small ones cost 1. */
export function requestTokens(measures: Measures): number {
  const { bodyBytes, headerParts = 0, addressLength = 0 } = measures
  let tokens = 1
  if (bodyBytes > FREE_BODY_BYTES) tokens += (bodyBytes - FREE_BODY_BYTES) / BODY_BYTES_PER_TOKEN
  if (headerParts > FREE_HEADER_PARTS)
    tokens += (headerParts - FREE_HEADER_PARTS) / HEADER_PARTS_PER_TOKEN
  if (addressLength > FREE_ADDRESS_LENGTH)
    tokens += (addressLength - FREE_ADDRESS_LENGTH) / ADDRESS_LENGTH_PER_TOKEN
  return tokens
}

/** What sending an answer costs beyond its request; nothing for small ones. */
export function answerTokens(bytes: number): number {
  return bytes > FREE_ANSWER_BYTES ? (bytes - FREE_ANSWER_BYTES) / ANSWER_BYTES_PER_TOKEN : 0
}
