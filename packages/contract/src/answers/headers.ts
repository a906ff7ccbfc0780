/** The ledger's genesis id: an answer of another ledger may only add, never remove. */
export const LEDGER_HEADER = 'Bourse-Ledger'
/** The journal index an answer reflects; the cursor for `after`. */
export const INDEX_HEADER = 'Bourse-Index'
/** Proves how far the ledger was. Callers keep it and send it back as `Bourse-Seen`. */
export const PROOF_HEADER = 'Bourse-Proof'
/** In a request: the ledger and the newest proof of it that the caller saw. */
export const SEEN_HEADER = 'Bourse-Seen'
/** Changes with each leader and restart; agents then advertise at once. */
export const TERM_HEADER = 'Bourse-Term'
/** In a 503 of a standby: the address of the leader. */
export const LEADER_HEADER = 'Bourse-Leader'
/** In a command: the caller's reason, as UTF-8 text. */
export const REASON_HEADER = 'Bourse-Reason'
export const REASON_LENGTH_MAX = 200
/** The request id, for clients that cannot put it into the body. */
export const IDEMPOTENCY_HEADER = 'Idempotency-Key'

export const API_BASE = '/api/v1'
export const PROBLEM_MEDIA_TYPE = 'application/problem+json'

/** A certificate with this Organization may read all and act for others. */
export const OPERATOR_ORGANIZATION = 'bourse:admin'
