/**
 * One call of the REST API (contract §4) by another transport: the same paths, bodies and answers,
 * and the same headers by name.
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

/** Ledger, index, term and time of the broker; when to retry, and where. */
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
