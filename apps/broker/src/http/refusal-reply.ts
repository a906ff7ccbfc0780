import { coarseRefusals, type Ranking } from '@bourse/domain/placement'
import { hiddenFor, numbersFor } from '../doors/numbers-for.ts'
import { refusedCounts } from '../doors/refused-counts.ts'
import type { LedgerWriter } from '../ledger/ledger-writer.ts'
import { BrokerError } from './broker-error.ts'
import type { Caller } from './caller.ts'
import { summaryOf, toRows } from './explanation-reply.ts'

/** Rows a refusal carries along: enough to see what is missing; /evaluations has them all. */
const ROWS_MAX = 5

export type Refusals = (
  ranking: Ranking,
  caller: Caller,
  aliases: readonly string[] | undefined,
) => Promise<BrokerError>

/** Says why nothing fits, with the numbers that this caller may see. */
export function createRefusals(writer: Pick<LedgerWriter, 'read'>, currency: string): Refusals {
  return (ranking, caller, aliases) =>
    writer.read((view) => {
      const reader = { numbersOf: numbersFor(caller, view), aliases, currency }
      const isHidden = hiddenFor(caller, view)
      const told = isHidden ? coarseRefusals(ranking, isHidden) : ranking
      const nearest = { ...told, rows: told.rows.slice(0, ROWS_MAX) }
      return new BrokerError('NoClusterFits', summaryOf(told, reader), {
        explanation: { refused: refusedCounts(ranking), rows: toRows(nearest, reader) },
      })
    })
}
