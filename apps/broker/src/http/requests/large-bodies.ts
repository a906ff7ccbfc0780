import { LARGE_BODY_BYTES } from '../../fair-share/index.ts'
import { NESTING_MAX } from '../../store/codec/nesting.ts'
import type { BrokerError } from '../errors/broker-error.ts'
import { invalidRequest } from '../errors/field-check.ts'

/** Values in a large body: an advertisement with 10,000 reservations in use has 30,000 or so. */
const VALUES_MAX = 40_000
/** A member of the body, and what is allowed within it. */
const DEPTH_MAX = NESTING_MAX + 2
const FIELD_LENGTH_MAX = 64

const large = new WeakSet<object>()

/** Whether a body is so large that its first mistake is enough to hear of. */
export function isLarge(body: unknown): boolean {
  return typeof body === 'object' && body !== null && large.has(body)
}

/** Undefined for an empty body; for malformed JSON the error about it. */
export function parsed(text: string): unknown {
  if (text === '') return undefined
  try {
    if (text.length > LARGE_BODY_BYTES) refuseIntricate(text)
    const body: unknown = JSON.parse(text)
    if (text.length > LARGE_BODY_BYTES && typeof body === 'object' && body !== null) large.add(body)
    return body
  } catch (error) {
    return error
  }
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * A megabyte of short members takes JSON.parse fifty times as long as a megabyte of text, and
 * blocks every request. Counting them first takes a millisecond.
 */
function refuseIntricate(text: string): void {
  let values = 1
  let depth = 0
  /** The member of the body that is being counted. */
  let field = ''
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      const end = endOfString(text, at)
      if (depth === 1) field = text.slice(at + 1, Math.min(end, at + 1 + FIELD_LENGTH_MAX))
      at = end
    } else if (code === COMMA) values += 1
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      values += 1
      depth += 1
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1
    if (depth > DEPTH_MAX) throw tooIntricate(field, `is nested deeper than ${NESTING_MAX} levels`)
    if (values > VALUES_MAX)
      throw tooIntricate(field, `the body has more than ${VALUES_MAX} values`)
  }
}

/** Where a string that begins here ends, or the text. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end === -1 ? text.length : end
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0
  while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes += 1
  return slashes % 2 === 1
}

function tooIntricate(field: string, message: string): BrokerError {
  return invalidRequest([
    { path: field || 'body', message: `${message}: send less, or leave it out` },
  ])
}
