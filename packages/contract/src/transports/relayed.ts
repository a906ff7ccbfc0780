/**
 * One call of the REST API (contract §4) on another carrier: the same paths, bodies and answers.
 * What HTTP says beside them travels along under the same names.
 */
export type RelayedCall = Readonly<{
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below the API's base, with the query: `/instructions?wait=30s&after=7`. */
  path: string
  /** JSON, or nothing. */
  body?: string
  /** What HTTP carries as Bourse-Seen. */
  seen?: string
}>

export type RelayedAnswer = Readonly<{
  status: number
  /** Of those in `RELAYED_HEADERS`, the ones that the answer has; lower case. */
  headers: Readonly<Record<string, string>>
  body: string
}>

/** Ledger, index, term and time of the broker, when to come back, and to whom. */
export const RELAYED_HEADERS: readonly string[] = [
  'bourse-ledger',
  'bourse-index',
  'bourse-term',
  'bourse-proof',
  'date',
  'retry-after',
  'bourse-leader',
  'content-type',
]
