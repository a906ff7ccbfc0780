/** The part of a status that says how far the ledger was when it was written. */
type Stamped = Readonly<{
  ledgerID?: string | undefined
  ledgerIndex?: number | undefined
  ledgerProof?: string | undefined
}>

/** Whether what we would write is older than what is there: a lower index never overwrites. */
export function isBehind(wanted: Stamped, shown: Stamped): boolean {
  return wanted.ledgerID === shown.ledgerID && (wanted.ledgerIndex ?? 0) < (shown.ledgerIndex ?? 0)
}

/** The status as it is written, with the newest proof. */
export function proven<S extends Stamped>(status: S, proof: () => string): S {
  return { ...status, ledgerProof: proof() }
}
