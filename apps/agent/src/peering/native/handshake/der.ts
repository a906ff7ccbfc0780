/** Just enough of ASN.1's DER to write a certificate request; reading is left to node:crypto. */
const TAGS = {
  integer: 0x02,
  bitString: 0x03,
  null: 0x05,
  oid: 0x06,
  utf8: 0x0c,
  sequence: 0x30,
  set: 0x31,
  /** [0], constructed. */
  context0: 0xa0,
} as const

export const sequence = (...parts: Buffer[]): Buffer => wrap(TAGS.sequence, ...parts)
export const set = (...parts: Buffer[]): Buffer => wrap(TAGS.set, ...parts)
export const context0 = (...parts: Buffer[]): Buffer => wrap(TAGS.context0, ...parts)
export const integer = (small: number): Buffer => wrap(TAGS.integer, Buffer.from([small]))
export const utf8 = (text: string): Buffer => wrap(TAGS.utf8, Buffer.from(text))
export const nothing = (): Buffer => wrap(TAGS.null)
/** Whole bytes, so that no bit of the last one is unused. */
export const bitString = (bytes: Buffer): Buffer => wrap(TAGS.bitString, Buffer.from([0]), bytes)

/** `1.2.840.10045.4.3.2`: the first two numbers share a byte, the others have 7 bits in each. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return wrap(TAGS.oid, Buffer.from([40 * first + second, ...rest.flatMap(base128)]))
}

function base128(number: number): number[] {
  const bytes = [number & 0x7f]
  for (let left = number >>> 7; left > 0; left >>>= 7) bytes.unshift((left & 0x7f) | 0x80)
  return bytes
}

function wrap(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content.length)]), content])
}

/** Up to 127 in one byte; above, a byte that says how many bytes the length has. */
function lengthOf(length: number): number[] {
  if (length < 0x80) return [length]
  const bytes: number[] = []
  for (let left = length; left > 0; left >>>= 8) bytes.unshift(left & 0xff)
  return [0x80 | bytes.length, ...bytes]
}
