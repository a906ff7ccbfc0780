/**
 * Numbers of reservations. They come rising and leave in any order, so this is a sorted list in
 * which one that has left is only crossed out, until half of it is. Filling thousands of these
 * with a million numbers hashes nothing, and leaves the collector nothing to follow.
 */
export type NumberSet = Iterable<number> & {
  readonly size: number
  /** Again at once (the next leg of the same reservation) is the same as once. */
  add(number: number): void
  has(number: number): boolean
  delete(number: number): boolean
}

/** Shorter lists are not worth tidying up. */
const TIDY_MIN = 32

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
    if (crossedOut >= TIDY_MIN && crossedOut > listed.length / 2) tidyUp()
    return true
  }

  /** A new list: whoever is going through the old one gets to its end. */
  function tidyUp(): void {
    listed = listed.filter((number) => number >= 0)
    crossedOut = 0
  }
}

/** Crossed out, a number is below zero; doing it twice gives it back. */
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
