type Stamped = Readonly<{
  ledgerID?: string | undefined
  ledgerIndex?: number | undefined
  ledgerProof?: string | undefined
}>

/** A status as it is written: beside its index it proves how far the ledger is by now. */
export function proven<S extends Stamped>(status: S, proof: () => string): S {
  return { ...status, ledgerProof: proof() }
}
