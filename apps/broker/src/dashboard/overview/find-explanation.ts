import type { Explained } from '@bourse/contract/dashboard'
import type { Reservation } from '@bourse/domain/ledger'
import type { Ranking } from '@bourse/domain/placement'
import type { LedgerWriter } from '../../ledger/writer/ledger-writer.ts'
import type { DecisionRecord, History } from '../../store/port/history.ts'
import { explainReserved } from './explained.ts'
import type { RecentRefusals } from './recent-refusals.ts'

export type ExplanationPorts = Readonly<{
  writer: Pick<LedgerWriter, 'read'>
  refusals: Pick<RecentRefusals, 'find'>
  /** Reservations that have left memory. */
  history: Pick<History, 'ended'>
  /** The grounds of a decision, as the journal keeps them. */
  decisionOf(reservation: Reservation): Promise<DecisionRecord | undefined>
  /** The full table by replay; undefined beyond --history. */
  explainAt(record: DecisionRecord): Promise<Ranking | undefined>
  /** The broker's own, which every ranking is priced in. */
  currency: string
}>

/** By a reservation's id, or by the one a refused request got. */
export async function findExplanation(
  id: string,
  { writer, refusals, history, decisionOf, explainAt, currency }: ExplanationPorts,
): Promise<Explained | undefined> {
  const refused = refusals.find(id)
  if (refused) return refused
  const remembered = await writer.read((view) => view.reservation(id))
  const reservation = remembered ?? (await history.ended(id))
  const record = reservation && (await decisionOf(reservation))
  if (!record) return undefined
  const ranking = await explainAt(record)
  return explainReserved({ record, reservation, ...(ranking && { ranking }) }, currency)
}
