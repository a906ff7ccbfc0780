import { sizeLimits } from '../limits.ts'

/**
 * A set of reservation numbers. They are added in rising order and deleted in any, so this is a
 * sorted list; deleted numbers are crossed out until they are half of it. A million numbers in
 * thousands of sets need no hashing, and no work of the garbage collector.
 */
export type NumberSet = Iterable<number> & {
  readonly size: number
  /** Adding a number twice is the same as once. */
  add(number: number): void
  has(number: number): boolean
  delete(number: number): boolean
}

export function createNumberSet(): NumberSet {
  let listed: number[] = []
  let crossedOut = 0

  return {
    get size() {
      return listed.length - crossedOut
    },
    add,
    has: (number) => listed[placeOf(listed, number)] === number,
    delete: remove,
    *[Symbol.iterator]() {
      for (const number of listed) if (number >= 0) yield number
    },
  }

  function add(number: number): void {
    const last = listed.at(-1)
    if (last === undefined || number > written(last)) listed.push(number)
    else putBack(number)
  }

  function putBack(number: number): void {
    const place = placeOf(listed, number)
    if (listed[place] === number) return
    if (listed[place] === crossed(number)) {
      listed[place] = number
      crossedOut--
    } else listed.splice(place, 0, number)
  }

  function remove(number: number): boolean {
    const place = placeOf(listed, number)
    if (listed[place] !== number) return false
    listed[place] = crossed(number)
    crossedOut++
    if (crossedOut >= sizeLimits.tidyMin && crossedOut > listed.length / 2) tidyUp()
    return true
  }

  /** Makes a new list: an iteration of the old one continues to its end. */
  function tidyUp(): void {
    listed = listed.filter((number) => number >= 0)
    crossedOut = 0
  }
}

/** A crossed out number is below 0. Its own inverse. */
const crossed = (number: number): number => -1 - number
const written = (entry: number): number => (entry < 0 ? crossed(entry) : entry)

/** Where a number is, or would be. */
function placeOf(listed: readonly number[], number: number): number {
  let from = 0
  let until = listed.length
  while (from < until) {
    const middle = (from + until) >> 1
    if (written(listed[middle] ?? 0) < number) from = middle + 1
    else until = middle
  }
  return from
}
