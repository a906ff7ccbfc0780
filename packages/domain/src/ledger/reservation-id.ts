const LEDGER_PART = 5
const RADIX = 36

/**
 * `rsv-<ledger>-<number>`: numbered, so that ids are never used twice, and marked with the ledger,
 * so that a restored ledger cannot give an id that the lost one had already given.
 */
export function reservationId(ledgerId: string, number: number): string {
  return `rsv-${ledgerId.slice(0, LEDGER_PART)}-${number.toString(RADIX)}`
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
