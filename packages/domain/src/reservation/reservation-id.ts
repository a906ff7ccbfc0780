const LEDGER_PART = 5
const RADIX = 36

/**
 * `rsv-<ledger>-<term>-<number>`. The number is never used twice in a ledger. The ledger's mark
 * keeps a restored backup from giving an id again that the lost ledger had given; the term does
 * the same for an older copy of the store, which has the same ledger and an older number. Ids
 * from before terms lack that part, and so do those of a ledger that is told none.
 */
export function reservationId(ledgerId: string, number: number, term?: string): string {
  const mark = ledgerId.slice(0, LEDGER_PART)
  const numbered = number.toString(RADIX)
  return term === undefined ? `rsv-${mark}-${numbered}` : `rsv-${mark}-${term}-${numbered}`
}

const [ZERO, A] = [48, 97] as const

/** Of an id that we gave; of anything else some number. A restart reads a million of them. */
export function numberOf(id: string): number {
  let number = 0
  for (let place = id.lastIndexOf('-') + 1; place < id.length; place++) {
    const code = id.charCodeAt(place)
    number = RADIX * number + (code < A ? code - ZERO : code - A + 10)
  }
  return number
}
