import { seenText } from '@bourse/contract/proof'
import type { Stamp } from './broker-communicator.ts'

export type SeenProofs = ReturnType<typeof createSeenProofs>

type Known = Readonly<{ index: number; proof: string }>

/** Ledgers change once in a blue moon; this is only a bound. */
const LEDGERS_MAX = 4

/**
 * The newest proof that was seen of each ledger. It goes along with every call, so that a broker
 * whose store was put back to an older copy finds out. An older proof never replaces a newer one:
 * it is such a broker that gives one.
 */
export function createSeenProofs() {
  const newest = new Map<string, Known>()
  let current: string | undefined

  return {
    /** From an answer: its ledger is the one that is spoken with. */
    heard({ ledgerId, proof }: Stamp): void {
      if (ledgerId === undefined) return
      if (proof !== undefined) note(ledgerId, proof)
      current = ledgerId
    },
    /** From an earlier life: it counts until another ledger answers. */
    remember({ ledgerId, proof }: Stamp): void {
      if (ledgerId === undefined || proof === undefined) return
      note(ledgerId, proof)
      current ??= ledgerId
    },
    proofOf: (ledgerId: string): string | undefined => newest.get(ledgerId)?.proof,
    /** What to send as Bourse-Seen. */
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
