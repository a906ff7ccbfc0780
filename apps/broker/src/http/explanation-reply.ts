import type { Evaluation, RankingRow as WireRow } from '@bourse/contract'
import {
  bandOf,
  formatScore,
  type Ranking,
  type RankingRow,
  refusalSentence,
  type Scored,
  summarySentence,
  type Telling,
} from '@bourse/domain/placement'
import { formatAmount, formatMoney, printResources, spokenName } from '@bourse/domain/quantity'
import { refusedCounts } from '../doors/refused-counts.ts'

/** How a decision is told to one reader: whose numbers, in which words, in which currency. */
export type Reader = Readonly<{
  numbersOf: (clusterId: string) => boolean
  aliases?: readonly string[] | undefined
  currency: string
}>

export function toEvaluation(ranking: Ranking, reader: Reader): Evaluation {
  const [first] = ranking.rows
  const chosen = first?.verdict === 'refused' ? undefined : first
  return {
    targetClusterID: chosen?.clusterId ?? '',
    policy: ranking.policy,
    request: toRequest(ranking.request, reader),
    summary: summaryOf(ranking, reader),
    refused: refusedCounts(ranking),
    rows: toRows(ranking, reader),
  }
}

export function toRows(ranking: Ranking, reader: Reader): WireRow[] {
  return ranking.rows.map((row) => toRow(row, reader))
}

/** Whoever was chosen, in a sentence; otherwise why nobody was. */
export function summaryOf(ranking: Ranking, reader: Reader): string {
  const [first] = ranking.rows
  if (!first?.scored || first.verdict === 'refused')
    return summarySentence(ranking, tellingOf(reader))
  const { length } = ranking.rows.filter(({ verdict }) => verdict !== 'refused')
  const others = length + (ranking.leftOut?.candidates ?? 0) - 1
  return winnerSentence(first.scored, others)
}

function winnerSentence({ clusterId, score }: Scored, others: number): string {
  const field = others === 0 ? 'the only cluster that fits' : `the best of ${others + 1} that fit`
  return `${clusterId} is ${field}, with a score of ${formatScore(score)}.`
}

export function toRequest({ requester, wanted, pinned }: Ranking['request'], { aliases }: Reader) {
  return {
    requesterID: requester,
    requestedResources: printResources(wanted, aliases),
    ...(pinned !== undefined && { targetClusterID: pinned }),
  }
}

export function toScores(parts: Scored['parts']): Record<string, string> {
  return Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, formatScore(part)]))
}

function toRow(row: RankingRow, reader: Reader): WireRow {
  const { clusterId, verdict, refusal, scored } = row
  return {
    clusterID: clusterId,
    verdict,
    ...(refusal && { reason: refusal }),
    message: messageOf(row, reader),
    ...(scored && { score: formatScore(scored.score), band: bandOf(scored.score) }),
    baseScore: formatScore(row.baseScore),
    ...(reader.numbersOf(clusterId) && numbersOf(row, reader)),
  }
}

function messageOf(row: RankingRow, reader: Reader): string {
  if (row.refusal) return refusalSentence(row, tellingOf(reader))
  return `${row.clusterId} ${row.verdict === 'chosen' ? 'is the best fit' : 'would fit'}`
}

function numbersOf(row: RankingRow, { aliases = [], currency }: Reader) {
  const { scored, shortfalls, pricePerHour } = row
  return {
    ...(scored && { parts: toScores(scored.parts) }),
    allocatable: printResources(row.allocatable, aliases),
    available: printResources(row.available, aliases),
    ...(shortfalls && {
      shortfalls: shortfalls.map(({ resource, wanted, available }) => ({
        resource: spokenName(resource, aliases),
        wanted: formatAmount(resource, wanted),
        available: formatAmount(resource, available),
      })),
    }),
    ...(pricePerHour !== undefined && { price: { perHour: formatMoney(pricePerHour), currency } }),
  }
}

function tellingOf({ numbersOf, aliases = [] }: Reader): Telling {
  return { numbersOf, aliases }
}
