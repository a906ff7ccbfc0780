const LEDGER_PART = 5
const RADIX = 36

/**
 * `rsv-<ledger>-<term>-<number>`. A ledger never uses a number twice. The ledger part keeps a
 * restored backup from reusing ids of the lost ledger; the term does so for an older copy of the
 * store, which has the same ledger id. Ids from before terms have no term.
 */
export function reservationId(ledgerId: string, number: number, term?: string): string {
  const ledger = ledgerId.slice(0, LEDGER_PART)
  const numbered = number.toString(RADIX)
  return term === undefined ? `rsv-${ledger}-${numbered}` : `rsv-${ledger}-${term}-${numbered}`
}

const [ZERO, A] = [48, 97] as const

/** The number in an id of this ledger; any number for other text. A restart reads a million ids. */
export function numberOf(id: string): number {
  let number = 0
  for (let place = id.lastIndexOf('-') + 1; place < id.length; place++) {
    const code = id.charCodeAt(place)
    number = RADIX * number + (code < A ? code - ZERO : code - A + 10)
  }
  return number
}
