import { hash } from 'node:crypto'

/** Whether two values are equal, in any order of their keys. */
export function saysTheSame(one: unknown, other: unknown): boolean {
  return canonical(one) === canonical(other)
}

/** Short enough to keep for every object, instead of the object. */
export function digestOf(value: unknown): string {
  return hash('sha1', canonical(value), 'base64url')
}

/** Names in order; undefined ones and empty ones left out, as the API server leaves them out. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? sorted(inner) : inner,
  )
}

function sorted(record: object): object {
  const given = Object.entries(record).filter(([, inner]) => inner !== undefined)
  return Object.fromEntries(given.sort(([a], [b]) => (a < b ? -1 : 1)))
}

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
