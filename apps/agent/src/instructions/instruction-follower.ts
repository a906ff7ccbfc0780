import type { Published } from '@bourse/client'
import type { HeldReservation } from './held-reservation.ts'
import type { LedgerStanding } from './ledger-standing.ts'

/** The provider's side: what the broker holds on this cluster. */
export type InstructionFollower = {
  /** Resolves when the local instructions are read; the broker may still be away. */
  start(): Promise<void>
  stop(): Promise<void>
  /** What counts at this moment: told by the broker, and not over yet by the broker's time. */
  held(): readonly HeldReservation[]
  /** How far the ledger was in the answer that `held` reflects; undefined before the first one. */
  seenIndex(): number | undefined
  /** Told after each change of `held`, also when time alone changed it. */
  subscribe(listener: () => void): () => void
  /** The answer to an advertisement carries instructions, too. */
  offer(published: Published): void
  standing(): LedgerStanding
}
