import { coarseRefusals, type Ranking } from '@bourse/domain/placement'
import type { LedgerWriter } from '../../ledger/writer/ledger-writer.ts'
import { hiddenFor, numbersFor } from '../../presentation/numbers-for.ts'
import { refusedCounts } from '../../presentation/refused-counts.ts'
import type { Caller } from '../callers/caller.ts'
import { BrokerError } from '../errors/broker-error.ts'
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
