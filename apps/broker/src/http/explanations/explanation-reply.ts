import type { Evaluation, RankingRow as WireRow } from '@bourse/contract'
import {
  bandOf,
  type Candidate,
  coarseRefusals,
  formatScore,
  largestNodeSentence,
  leadSentence,
  type Ranking,
  type RankingRow,
  refusalSentence,
  type Scored,
  summarySentence,
  sumSentence,
  type Telling,
  whySentence,
} from '@bourse/domain/placement'
import { formatAmount, formatMoney, printResources, spokenName } from '@bourse/domain/quantity'
import type { LedgerWriter } from '../../ledger/writer/ledger-writer.ts'
import { hiddenFor, numbersFor } from '../../presentation/numbers-for.ts'
import { refusedCounts } from '../../presentation/refused-counts.ts'
import type { Caller } from '../callers/caller.ts'
import { BrokerError } from '../errors/broker-error.ts'

/** How a decision is told to one reader: whose numbers, in which words, in which currency. */
export type Reader = Readonly<{
  /** Whether this reader may see exact numbers of a cluster. */
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
    summary: `${summaryOf(ranking, reader)}${marginOf(ranking)}`,
    refused: refusedCounts(ranking),
    rows: toRows(ranking, reader),
  }
}

/** An evaluation must not sound more certain than it is. */
function marginOf({ rows }: Ranking): string {
  const isAtMargin = rows.some(({ isCoarse, refusal }) => isCoarse && isByAmount(refusal))
  return isAtMargin ? ' Hidden amounts are rounded down here: a reservation may still fit.' : ''
}

function isByAmount(refusal: RankingRow['refusal']): boolean {
  return refusal === 'Insufficient' || refusal === 'NoNodeFits'
}

export function toRows(ranking: Ranking, reader: Reader): WireRow[] {
  return ranking.rows.map((row) => toRow(row, ranking, reader))
}

/** Names the chosen cluster, or why none was chosen. */
export function summaryOf(ranking: Ranking, reader: Reader): string {
  const [first] = ranking.rows
  if (!first || first.verdict === 'refused') return summarySentence(ranking, tellingOf(reader))
  const { length } = ranking.rows.filter(({ verdict }) => verdict !== 'refused')
  const others = length + (ranking.leftOut?.candidates ?? 0) - 1
  const field = others === 0 ? 'the only cluster that fits' : `the best of ${others + 1} that fit`
  const judgement = judgementOf(ranking, reader)
  return `${first.clusterId} is ${field}${judgement}${warningOf(first, reader)}.`
}

/** Why the chosen cluster is before the next: the sum of its score, or the band. */
function judgementOf({ policy, rows }: Ranking, reader: Reader): string {
  const [first, second] = rows.slice(0, 2).flatMap((row) => candidateOf(row, reader) ?? [])
  if (!first || first.scored.clusterId !== rows[0]?.clusterId) return ''
  const field = second ? [first, second] : [first]
  if (!first.isHidden) return `, with a score of ${whySentence(policy, field)}`
  const lead = second && leadSentence(first, second)
  return ` (${bandOf(first.scored.score)})${lead ? `: ${lead}` : ''}`
}

function candidateOf(row: RankingRow, reader: Reader): Candidate | undefined {
  const { scored, pricePerHour } = row
  return scored && { scored, pricePerHour, isHidden: !maySee(row, reader) }
}

function warningOf(row: RankingRow, reader: Reader): string {
  const largestNode = shownNode(row, reader)
  const isRounded = row.isCoarse === true
  return largestNode ? `; ${largestNodeSentence(largestNode, { isRounded })}` : ''
}

/** A rounded amount may be shown as such. */
function shownNode(row: RankingRow, reader: Reader): RankingRow['largestNode'] {
  return row.isCoarse || maySee(row, reader) ? row.largestNode : undefined
}

/** Puts the chosen cluster first: by coarse amounts it may not even fit. */
export function withChosen(ranking: Ranking, clusterId: string): Ranking {
  const chosen = ranking.rows.find((row) => row.clusterId === clusterId)
  if (!chosen) return ranking
  const { refusal: _, shortfalls: __, largestNode, ...fits } = chosen
  const isWarned = largestNode && !ranking.request.oneNode
  const fitting = isWarned ? { ...fits, largestNode } : fits
  const others = ranking.rows.filter((row) => row !== chosen)
  const rows = others.map((row) =>
    row.verdict === 'chosen' ? { ...row, verdict: 'candidate' as const } : row,
  )
  return { ...ranking, rows: [{ ...fitting, verdict: 'chosen' }, ...rows] }
}

export function toRequest(request: Ranking['request'], { aliases }: Reader) {
  const { requester, wanted, pinned, oneNode } = request
  return {
    requesterID: requester,
    requestedResources: printResources(wanted, aliases),
    ...(pinned !== undefined && { targetClusterID: pinned }),
    ...(oneNode && { oneNode }),
  }
}

export function toScores(parts: Scored['parts']): Record<string, string> {
  return Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, formatScore(part)]))
}

function toRow(row: RankingRow, ranking: Ranking, reader: Reader): WireRow {
  const { clusterId, verdict, refusal, scored, unpriced } = row
  const largestNode = shownNode(row, reader)
  const isOpen = maySee(row, reader)
  return {
    clusterID: clusterId,
    verdict,
    ...(refusal && { reason: refusal }),
    message: messageOf(row, ranking, reader),
    ...(unpriced !== undefined && { unpriced }),
    ...(scored && isOpen && { score: formatScore(scored.score) }),
    ...(scored && { band: bandOf(scored.score) }),
    ...(row.isCoarse && { rounded: true }),
    ...(largestNode && { largestNode: printResources(largestNode, reader.aliases) }),
    ...(isOpen && numbersOf(row, reader)),
    ...((isOpen || !refusal) && priceOf(row, reader)),
  }
}

/** What a candidate would charge for this request is told to every caller, hidden or not. */
function priceOf({ pricePerHour }: RankingRow, { currency }: Reader) {
  if (pricePerHour === undefined) return {}
  return { price: { perHour: formatMoney(pricePerHour), currency } }
}

/** Coarse amounts are not shown as numbers, even if the cluster shows its numbers by now. */
function maySee({ clusterId, isCoarse }: RankingRow, { numbersOf }: Reader): boolean {
  return isCoarse !== true && numbersOf(clusterId)
}

function messageOf(row: RankingRow, { policy }: Ranking, reader: Reader): string {
  if (row.refusal) return refusalSentence(row, tellingOf(reader))
  const fit = row.verdict === 'chosen' ? 'is the best fit' : 'would fit'
  const sum = row.scored && maySee(row, reader) ? `: ${sumSentence(row.scored, policy)}` : ''
  const unpriced = row.unpriced === undefined ? '' : `; ${row.unpriced}`
  return `${row.clusterId} ${fit}${sum}${warningOf(row, reader)}${unpriced}`
}

function numbersOf(row: RankingRow, { aliases = [] }: Reader) {
  const { scored, shortfalls } = row
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
  }
}

function tellingOf({ numbersOf, aliases = [] }: Reader): Telling {
  return { numbersOf, aliases }
}

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
