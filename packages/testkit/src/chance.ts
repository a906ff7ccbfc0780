/** The same seed gives the same numbers: print it, so that a failure can be repeated. */
export type Chance = {
  /** At least 0 and less than 1. */
  next(): number
  /** A whole number, both ends included. */
  between(min: number, max: number): number
  /** Undefined if the list is empty. */
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
