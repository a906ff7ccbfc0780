import type { Explained, ExplainedRow } from '@bourse/contract/dashboard'
import type { Reservation } from '@bourse/domain/ledger'
import {
  bandOf,
  type Candidate,
  type Ranking,
  type RankingRow,
  whySentence,
} from '@bourse/domain/placement'
import type { LedgerWriter } from '../../ledger/writer/ledger-writer.ts'
import { refusedCounts } from '../../presentation/refused-counts.ts'
import type { DecisionRecord, History } from '../../store/port/history.ts'
import { toAmounts, toReservationRow, toUnits } from './figures.ts'

/** What is known of a decision: always its record, the whole table while replay reaches it. */
export type Explanation = Readonly<{
  record: DecisionRecord
  ranking?: Ranking
  reservation?: Reservation
}>

/** The counts by reason cover the rest. */
const ROWS_MAX = 300

function explainReserved(
  { record, ranking, reservation }: Explanation,
  currency: string,
): Explained {
  const { request, decision } = record
  return {
    id: record.reservationId,
    outcome: 'reserved',
    at: record.at,
    index: record.index,
    ...toRequest(request),
    policy: decision.policy,
    why: whySentence(decision.policy, candidatesOf(decision, ranking)),
    currency,
    ...(reservation && { reservation: toReservationRow(reservation) }),
    ...(ranking ? fullTable(ranking, ranking.rows) : bestFive(record)),
    refused: decision.refused,
    isComplete: ranking !== undefined,
  }
}

/** As far as they are known: the journal keeps no prices of the others. */
function candidatesOf(
  { best }: DecisionRecord['decision'],
  ranking: Ranking | undefined,
): readonly Candidate[] {
  if (!ranking) return best.map((scored) => ({ scored }))
  const rows = ranking.rows.slice(0, 2)
  return rows.flatMap(({ scored, pricePerHour }) => (scored ? { scored, pricePerHour } : []))
}

export type RefusedRequest = Readonly<{ id: string; at: number; index: number; ranking: Ranking }>

export function explainRefused(
  { id, at, index, ranking }: RefusedRequest,
  currency: string,
): Explained {
  const { request, policy, rows } = ranking
  return {
    id,
    outcome: 'refused',
    at,
    index,
    ...toRequest(request),
    policy,
    currency,
    ...fullTable(ranking, nearestFirst(rows)),
    refused: refusedCounts(ranking),
    isComplete: true,
  }
}

function toRequest({ requester, wanted, pinned, oneNode }: Ranking['request']) {
  return {
    requester,
    wanted: toAmounts(wanted),
    ...(pinned !== undefined && { pinned }),
    ...(oneNode && { oneNode }),
  }
}

function fullTable(
  { leftOut }: Ranking,
  rows: readonly RankingRow[],
): Pick<Explained, 'rows' | 'rowCount'> {
  const refused = Object.values(leftOut?.refused ?? {}).reduce((sum, count) => sum + count, 0)
  const rowCount = rows.length + (leftOut?.candidates ?? 0) + refused
  return { rows: rows.slice(0, ROWS_MAX).map(toRow), rowCount }
}

function bestFive({ decision }: DecisionRecord): Pick<Explained, 'rows' | 'rowCount'> {
  const rows = decision.best.map(
    ({ clusterId, score, parts }, place): ExplainedRow => ({
      clusterId,
      verdict: place === 0 ? 'chosen' : 'candidate',
      score,
      band: bandOf(score),
      parts,
    }),
  )
  return { rows, rowCount: rows.length }
}

function toRow(row: RankingRow): ExplainedRow {
  const { clusterId, verdict, refusal, shortfalls, scored, pricePerHour, unpriced, largestNode } =
    row
  return {
    clusterId,
    verdict,
    allocatable: toAmounts(row.allocatable),
    available: toAmounts(row.available),
    ...(largestNode && { largestNode: toAmounts(largestNode) }),
    ...(refusal && { refusal }),
    ...(shortfalls && { shortfalls: shortfalls.map(toShortfall) }),
    ...(scored && { score: scored.score, band: bandOf(scored.score), parts: scored.parts }),
    ...(pricePerHour !== undefined && { pricePerHour: toUnits(pricePerHour) }),
    ...(unpriced !== undefined && { unpriced }),
  }
}

type Shortfall = NonNullable<RankingRow['shortfalls']>[number]

const toShortfall = ({ resource, wanted, available }: Shortfall) => ({
  resource,
  wanted: Number(wanted),
  available: Math.max(0, Number(available)),
})

/** Near misses first. */
function nearestFirst(rows: readonly RankingRow[]): readonly RankingRow[] {
  const gaps = new Map(rows.map((row) => [row, gapOf(row)]))
  return rows.toSorted((a, b) => (gaps.get(a) ?? 0) - (gaps.get(b) ?? 0))
}

/** The largest missing share of a wanted resource; other reasons come after every shortfall. */
function gapOf({ refusal, shortfalls = [] }: RankingRow): number {
  if (refusal !== 'Insufficient' && refusal !== 'NoNodeFits') return 2
  return Math.max(
    0,
    ...shortfalls.map((one) => 1 - Math.max(0, Number(one.available)) / Number(one.wanted)),
  )
}

export type ExplanationPorts = Readonly<{
  writer: Pick<LedgerWriter, 'read'>
  /** Refused requests, which are not journaled. */
  refusals: Readonly<{ find(id: string): Explained | undefined }>
  /** Reservations that have left memory. */
  history: Pick<History, 'ended'>
  /** The grounds of a decision, as the journal keeps them. */
  decisionOf(reservation: Reservation): Promise<DecisionRecord | undefined>
  /** The full table by replay; undefined beyond --history. */
  explainAt(record: DecisionRecord): Promise<Ranking | undefined>
  /** The broker's currency: every ranking is priced in it. */
  currency: string
}>

/** By the id of a reservation, or of a refused request. */
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
  const ofThatTime = reservation.price?.currency ?? currency
  return explainReserved({ record, reservation, ...(ranking && { ranking }) }, ofThatTime)
}
