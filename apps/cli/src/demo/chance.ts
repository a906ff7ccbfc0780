/** Numbers from 0 to 1 that are the same again for the same seed (mulberry32). */
export function createChance(seed: number) {
  let state = seed >>> 0

  return { next, between, oneOf }

  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  function between(low: number, high: number): number {
    return low + next() * (high - low)
  }

  function oneOf<T>(choices: readonly T[]): T {
    const choice = choices[Math.floor(next() * choices.length)]
    if (choice === undefined) throw new Error('There is nothing to choose from.')
    return choice
  }
}

export type Chance = ReturnType<typeof createChance>
