const LEDGER_PART = 5

/**
 * `rsv-<ledger>-<number>`: numbered, so that ids are never used twice, and marked with the ledger,
 * so that a restored ledger cannot give an id that the lost one had already given.
 */
export function reservationId(ledgerId: string, number: number): string {
  return `rsv-${ledgerId.slice(0, LEDGER_PART)}-${number.toString(36)}`
}

export function numberOf(id: string): number {
  return Number.parseInt(id.slice(id.lastIndexOf('-') + 1), 36)
}
