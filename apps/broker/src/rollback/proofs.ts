import { hash as digest, randomBytes, timingSafeEqual } from 'node:crypto'
import { PROOF_HASH_LENGTH, PROOF_MAC_LENGTH, type Proof, proofText } from '@bourse/contract/proof'
import type { Head } from '../store/port/journal.ts'
import { StoreUnusable } from '../store/port/store-errors.ts'
import type { StoreNotes } from '../store/port/store-notes.ts'

export const KEY_BYTES = 32

export type Proofs = ReturnType<typeof createProofs>

/** Makes and verifies the proofs of one ledger. */
export function createProofs(ledgerId: string, key: Buffer) {
  const hmac = createHmac(key, `${ledgerId}/`)
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
    return hmac(`${index}/${hash}`).slice(0, PROOF_MAC_LENGTH)
  }
}

const BLOCK_BYTES = 64
const DIGEST_BYTES = 32
const [INNER, OUTER] = [0x36, 0x5c] as const
/** An index, a slash, a hash. */
const TEXT_BYTES_MAX = 64

/**
 * HMAC-SHA-256 (RFC 2104) of prefix and text, in base64url. Written here because each commit makes
 * one: node's own takes 14 µs, a sixth of a whole reservation; this takes 2 µs.
 */
export function createHmac(key: Buffer, prefix: string): (text: string) => string {
  const start = BLOCK_BYTES + Buffer.byteLength(prefix)
  const inner = Buffer.alloc(start + TEXT_BYTES_MAX)
  const outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES)
  padded(key, INNER).copy(inner)
  padded(key, OUTER).copy(outer)
  inner.write(prefix, BLOCK_BYTES)
  return (text) => {
    if (Buffer.byteLength(text) > TEXT_BYTES_MAX) throw new Error('Too long for a proof.')
    const end = start + inner.write(text, start)
    digest('sha256', inner.subarray(0, end), 'buffer').copy(outer, BLOCK_BYTES)
    return digest('sha256', outer, 'base64url')
  }
}

function padded(key: Buffer, pad: number): Buffer {
  return Buffer.alloc(BLOCK_BYTES, pad).map((byte, place) => byte ^ (key[place] ?? 0)) as Buffer
}

/** Long enough to tell two histories apart; the MAC protects it. */
export function shortHash(hash: string): string {
  return hash.slice(0, PROOF_HASH_LENGTH).padEnd(PROOF_HASH_LENGTH, '0')
}

/**
 * The ledger's key, made if there is none. Called after the ledger was founded, so a store with a
 * key has held a ledger.
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
      'Restore it from a copy of the store, or remove it: then earlier proofs are worthless',
    )
  return key
}
