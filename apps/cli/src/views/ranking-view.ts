import type { Evaluation, Explanation, RankingRow } from '@bourse/contract'
import type { Colour, Paint } from '../terminal/colours.ts'
import type { View } from '../terminal/output.ts'
import { relativeTime } from '../terminal/relative-time.ts'
import { type Column, renderTable } from '../terminal/table.ts'
import { describeQuantities } from './quantities.ts'

const VERDICT_COLOURS: Readonly<Record<RankingRow['verdict'], Colour>> = {
  chosen: 'green',
  candidate: 'cyan',
  refused: 'dim',
}

/** Candidates best first with their scores, then the refused with the reason of each. */
export function rankingTable(rows: readonly RankingRow[], paint: Paint, isWide: boolean): string {
  const scorers = [...new Set(rows.flatMap(({ parts }) => Object.keys(parts ?? {})))]
  const columns: Column<RankingRow>[] = [
    { title: 'CLUSTER', cell: ({ clusterID }) => clusterID },
    { title: 'VERDICT', cell: ({ verdict }) => paint(verdict, VERDICT_COLOURS[verdict]) },
    { title: 'SCORE', align: 'right', cell: ({ score }) => score ?? '' },
    { title: 'BAND', cell: ({ band }) => band ?? '' },
    { title: 'PRICE/H', align: 'point', cell: priceOf },
    ...(isWide ? scorers.map(scorerColumn) : []),
    ...(isWide ? [freeColumn] : []),
    { title: 'WHY', cell: ({ message }) => message },
  ]
  return renderTable(columns, rows, paint)
}

export function evaluationView(evaluation: Evaluation): View {
  return ({ paint, isWide }) => {
    const { request, summary, policy, rows, targetClusterID } = evaluation
    const asked = askedFor(request)
    // A refusal is an error at the end of the output, and said once.
    const sentence = targetClusterID === '' ? '' : ` — ${summary}`
    const head = `${paint(asked, 'bold')}${sentence}\nPolicy ${policy}; nothing was changed.`
    return rows.length === 0 ? head : `${head}\n\n${rankingTable(rows, paint, isWide)}`
  }
}

/** Those of which a sentence and a row would say the same. */
const TOLD_IN_ROWS: ReadonlySet<RankingRow['reason']> = new Set([
  'NoNodeFits',
  'Insufficient',
  'Stale',
  'Cordoned',
  'Withdrawn',
])

/** A refusal below a table that has the reasons: `No cluster can hold 99 cpu for rome.` */
export function refusalBelow(rows: readonly RankingRow[], sentence: string): string {
  if (!rows.some(({ reason }) => TOLD_IN_ROWS.has(reason))) return sentence
  return sentence.replace(/: .*?(\s*Hidden amounts .*)?$/s, '.$1')
}

export function explanationView(explanation: Explanation): View {
  return ({ paint, isWide, now }) => {
    const { reservationID, request, summary, policy, rows, decidedAt, index } = explanation
    const asked = askedFor(request)
    const head = [
      `${paint(reservationID, 'bold')}: ${asked} — ${summary}`,
      `Decided ${relativeTime(decidedAt, now)} (${decidedAt}) at index ${index} by policy ${policy}.`,
    ].join('\n')
    if (rows) return `${head}\n\n${rankingTable(rows, paint, isWide)}`
    const { note = 'Only the best and the counts are kept of this decision.' } = explanation
    const kept = `${head}\n\n${note}`
    const counts = explanation.refused ? `\n${refusedCounts(explanation.refused)}` : ''
    return `${kept}\n${bestTable(explanation, paint)}${counts}`
  }
}

function askedFor({ requestedResources, oneNode, requesterID }: Evaluation['request']): string {
  const what = describeQuantities(requestedResources)
  return `${oneNode ? `${what} on one node` : what} for ${requesterID}`
}

/** `Refused: 2 Stale, 1 Insufficient.` */
export function refusedCounts(refused: Readonly<Record<string, number | undefined>>): string {
  const counts = Object.entries(refused).map(([reason, count]) => `${count} ${reason}`)
  return counts.length === 0 ? 'No cluster was refused.' : `Refused: ${counts.join(', ')}.`
}

function bestTable({ best }: Explanation, paint: Paint): string {
  const columns: Column<Explanation['best'][number]>[] = [
    { title: 'CLUSTER', cell: ({ clusterID }) => clusterID },
    { title: 'SCORE', align: 'right', cell: ({ score }) => score ?? '' },
    { title: 'BAND', cell: ({ band }) => band ?? '' },
  ]
  return renderTable(columns, best, paint)
}

function scorerColumn(scorer: string): Column<RankingRow> {
  return { title: scorer.toUpperCase(), align: 'right', cell: ({ parts }) => parts?.[scorer] ?? '' }
}

const freeColumn: Column<RankingRow> = {
  title: 'FREE',
  cell: ({ available }) => (available ? describeQuantities(available) : ''),
}

function priceOf({ price }: RankingRow): string {
  return price ? `${price.perHour} ${price.currency}` : ''
}
