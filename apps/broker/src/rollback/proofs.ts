import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { PROOF_HASH_LENGTH, PROOF_MAC_LENGTH, type Proof, proofText } from '@bourse/contract/proof'
import type { Head } from '../journal/journal.ts'
import type { StoreNotes } from '../journal/store-notes.ts'
import { StoreUnusable } from '../journal/store-unusable.ts'

export const KEY_BYTES = 32

export type Proofs = ReturnType<typeof createProofs>

/** Makes and verifies the proofs of one ledger. */
export function createProofs(ledgerId: string, key: Buffer) {
  return {
    of({ index, hash: whole }: Head): string {
      const hash = shortHash(whole)
      return proofText({ index, hash, mac: macOf(index, hash) })
    },
    isOurs({ index, hash, mac }: Proof): boolean {
      return timingSafeEqual(Buffer.from(macOf(index, hash)), Buffer.from(mac))
    },
  }

  function macOf(index: number, hash: string): string {
    const mac = createHmac('sha256', key).update(`${ledgerId}/${index}/${hash}`)
    return mac.digest('base64url').slice(0, PROOF_MAC_LENGTH)
  }
}

/** Enough to tell one history from another: the MAC vouches for it. */
export function shortHash(hash: string): string {
  return hash.slice(0, PROOF_HASH_LENGTH).padEnd(PROOF_HASH_LENGTH, '0')
}

/**
 * The ledger's key, made when there is none yet. Called once the ledger is founded: a store that
 * has a key therefore held a ledger.
 */
export async function openKey(notes: StoreNotes): Promise<Buffer> {
  const known = await notes.read('proof-key')
  if (known === undefined) {
    const made = randomBytes(KEY_BYTES)
    await notes.write('proof-key', `${made.toString('base64url')}\n`)
    return made
  }
  const key = Buffer.from(known.trim(), 'base64url')
  if (key.length !== KEY_BYTES)
    throw new StoreUnusable(
      `The key of the ledger's proofs is damaged: it has ${key.length} bytes instead of ${KEY_BYTES}`,
      'Put it back from a copy of the store, or remove it: then proofs from before count for nothing',
    )
  return key
}
