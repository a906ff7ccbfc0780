/*
 * Bourse-Proof of an answer:   <index>.<hash>.<mac>
 * Bourse-Seen of a request:    <ledger>/<index>.<hash>.<mac>
 *
 *   index  the newest committed batch when the answer was written; not below its Bourse-Index
 *   hash   the beginning of that batch's hash
 *   mac    over ledger, index and hash, by a key that only the ledger's store has
 *
 * A caller keeps the newest proof of a ledger and sends it back. A store that was restored from an
 * earlier copy has the same key: it recognises its own later proofs and stops granting.
 */
export type Proof = Readonly<{ index: number; hash: string; mac: string }>
export type Seen = Readonly<{ ledgerId: string; proof: Proof }>

export const PROOF_HASH_LENGTH = 16
/** 16 bytes in base64url. */
export const PROOF_MAC_LENGTH = 22
/** With an index of 16 digits and two dots. */
export const PROOF_LENGTH_MAX = 16 + 1 + PROOF_HASH_LENGTH + 1 + PROOF_MAC_LENGTH

const PROOF_PATTERN = `(0|[1-9]\\d{0,15})\\.([0-9a-f]{${PROOF_HASH_LENGTH}})\\.([\\w-]{${PROOF_MAC_LENGTH}})`
const LEDGER_PATTERN = '[0-9a-zA-Z-]{1,64}'
export const SEEN_PATTERN = `^${LEDGER_PATTERN}/${PROOF_PATTERN}$`
const PROOF = new RegExp(`^${PROOF_PATTERN}$`)
const LEDGER = new RegExp(`^${LEDGER_PATTERN}$`)

export function proofText({ index, hash, mac }: Proof): string {
  return `${index}.${hash}.${mac}`
}

export function parseProof(text: string): Proof | undefined {
  const [, index, hash, mac] = PROOF.exec(text) ?? []
  if (index === undefined || hash === undefined || mac === undefined) return undefined
  const number = Number(index)
  return Number.isSafeInteger(number) ? { index: number, hash, mac } : undefined
}

export function seenText(ledgerId: string, proof: string): string {
  return `${ledgerId}/${proof}`
}

export function parseSeen(text: string): Seen | undefined {
  const slash = text.indexOf('/')
  const ledgerId = text.slice(0, Math.max(0, slash))
  const proof = LEDGER.test(ledgerId) ? parseProof(text.slice(slash + 1)) : undefined
  return proof && { ledgerId, proof }
}
