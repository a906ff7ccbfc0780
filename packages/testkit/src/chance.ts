/** The same seed tells the same story: print it, and a failure can be looked at again. */
export type Chance = {
  /** From 0 up to, and without, 1. */
  next(): number
  /** A whole number, both ends included. */
  between(min: number, max: number): number
  /** Undefined only of nothing. */
  pick<T>(from: readonly T[]): T | undefined
}

/** mulberry32: small, fast, and good enough to shuffle a load. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0

  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    between: (min, max) => min + Math.floor(next() * (max - min + 1)),
    pick: (from) => from[Math.floor(next() * from.length)],
  }
}
