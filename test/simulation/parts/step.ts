import type { Command } from '@bourse/domain/ledger'
import type { Wish } from '../oracle/ranking.ts'

/**
 * One step of a story, complete in itself, so that others can be dropped. Reservations have the
 * name that their request gives them (`R17`), in `id` and in `used`.
 */
export type Step =
  | Readonly<{ do: 'command'; name?: string; command: Command; afterMs: number }>
  | Readonly<{ do: 'restart'; from: 'image' | 'snapshot' | 'journal'; outageMs: number }>
  | Readonly<{ do: 'save' | 'compact' | 'prune' }>
  /** The history has taken the first so many of what has ended, and memory drops them. */
  | Readonly<{ do: 'forget'; count: number }>
  | Readonly<{ do: 'rates'; rates: Readonly<Record<string, bigint>> }>
  | Readonly<{ do: 'evaluate'; wish: Wish; hidden: readonly string[] }>
