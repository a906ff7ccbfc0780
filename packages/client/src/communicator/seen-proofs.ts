import { seenText } from '@bourse/contract/proof'
import type { Stamp } from './broker-communicator.ts'

export type SeenProofs = ReturnType<typeof createSeenProofs>

type Known = Readonly<{ index: number; proof: string }>

/** A ledger is rarely replaced; this is only a bound. */
const LEDGERS_MAX = 4

/**
 * The newest proof seen of each ledger. Every call sends it, so that a broker whose store was
 * rolled back to an older copy finds out. An older proof never replaces a newer one: only a broker
 * that was rolled back sends one.
 */
export function createSeenProofs() {
  const newest = new Map<string, Known>()
  let current: string | undefined

  return {
    /** From an answer: its ledger is the current one. */
    heard({ ledgerId, proof }: Stamp): void {
      if (ledgerId === undefined) return
      if (proof !== undefined) note(ledgerId, proof)
      current = ledgerId
    },
    /** From an earlier run: counts until another ledger answers. */
    remember({ ledgerId, proof }: Stamp): void {
      if (ledgerId === undefined || proof === undefined) return
      note(ledgerId, proof)
      current ??= ledgerId
    },
    proofOf: (ledgerId: string): string | undefined => newest.get(ledgerId)?.proof,
    /** The value of the Bourse-Seen header. */
    text(): string | undefined {
      const known = current === undefined ? undefined : newest.get(current)
      return current === undefined || !known ? undefined : seenText(current, known.proof)
    },
  }

  function note(ledgerId: string, proof: string): void {
    const index = Number(proof.slice(0, proof.indexOf('.')))
    const known = newest.get(ledgerId)
    if (known ? index <= known.index : Number.isNaN(index)) return
    const [oldest] = newest.keys()
    if (!known && newest.size >= LEDGERS_MAX && oldest !== undefined) newest.delete(oldest)
    newest.set(ledgerId, { index, proof })
  }
}
