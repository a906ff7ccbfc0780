/** Ten bits and seven marks a key: one wrong "perhaps" in a hundred. */
const BITS_PER_KEY = 10
const MARKS = 7
const CAPACITY_MIN = 100_000

/**
 * A Bloom filter over request keys: "surely never seen" or "perhaps". A fresh request id, which
 * nearly all are, then needs no look-up on disk; a wrong "perhaps" only costs one. One that is full
 * is still right, but says "perhaps" more and more often.
 */
export function createRequestFilter(expected: number) {
  const capacity = Math.max(expected, CAPACITY_MIN)
  const bitCount = capacity * BITS_PER_KEY
  const bits = new Uint8Array(Math.ceil(bitCount / 8))
  let count = 0

  return { add, mayHold, isEmpty: () => count === 0, isFull: () => count > capacity }

  function add(key: string): void {
    if (mayHold(key)) return
    count++
    const { first, step } = marksOf(key)
    for (let nth = 0; nth < MARKS; nth++) {
      const bit = (first + nth * step) % bitCount
      bits[bit >>> 3] = byteOf(bit) | (1 << (bit & 7))
    }
  }

  function mayHold(key: string): boolean {
    const { first, step } = marksOf(key)
    for (let nth = 0; nth < MARKS; nth++) {
      const bit = (first + nth * step) % bitCount
      if ((byteOf(bit) & (1 << (bit & 7))) === 0) return false
    }
    return true
  }

  function byteOf(bit: number): number {
    return bits[bit >>> 3] ?? 0
  }
}

/** Keys are digests already: two slices of one make as many independent marks as we like. */
function marksOf(key: string) {
  const first = Number.parseInt(key.slice(0, 8), 16)
  const step = (Number.parseInt(key.slice(8, 16), 16) | 1) >>> 0
  return { first, step }
}
