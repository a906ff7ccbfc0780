import { amountOf, clampZero, type Resources } from '../quantity/resources.ts'
import { baseScoreOf } from './base-score.ts'
import type { PlacementRequest, Ranking, RankingRow } from './decision.ts'
import { ABSENT, codeOf } from './filter.ts'
import { firstOf } from './first-of.ts'
import { priceFor } from './price.ts'
import type { Scoring } from './scoring.ts'
import { countRefusals, type Sifted } from './sieve.ts'

type Table = Readonly<{ sifted: Sifted; scoring: Scoring; rowsMax: number }>

/** The rows of a ranking: candidates best first, then the refused. */
export function rowsOf({ sifted, scoring, rowsMax }: Table): Pick<Ranking, 'rows' | 'leftOut'> {
  const best = scoring.best(rowsMax)
  const refused = firstOf({
    count: sifted.refusedCount,
    max: rowsMax - best.length,
    isBefore: byReason(sifted),
  })
  const rows = [
    ...best.map((at, place) => candidateRow({ sifted, scoring, at, place })),
    ...refused.map((at) => refusedRow(sifted, at)),
  ]
  if (rows.length === sifted.count + sifted.refusedCount) return { rows }
  return { rows, leftOut: leftOut(sifted, rows) }
}

function leftOut(sifted: Sifted, rows: readonly RankingRow[]) {
  const refused = countRefusals(sifted)
  for (const { refusal } of rows) {
    if (refusal === undefined) continue
    const rest = (refused[refusal] ?? 0) - 1
    if (rest > 0) refused[refusal] = rest
    else delete refused[refusal]
  }
  const shown = rows.filter(({ refusal }) => refusal === undefined).length
  return { candidates: sifted.count - shown, refused }
}

/** Marks are numbered in the order of `REFUSAL_CODES`, the most telling first. */
function byReason({ board, refused, verdicts }: Sifted) {
  return (left: number, right: number): boolean => {
    const leftSlot = refused[left] ?? 0
    const rightSlot = refused[right] ?? 0
    const lead = (verdicts[leftSlot] ?? 0) - (verdicts[rightSlot] ?? 0)
    if (lead !== 0) return lead < 0
    return (board.clusterIds[leftSlot] ?? '') < (board.clusterIds[rightSlot] ?? '')
  }
}

type Place = Readonly<{ sifted: Sifted; scoring: Scoring; at: number; place: number }>

function candidateRow({ sifted, scoring, at, place }: Place): RankingRow {
  return {
    ...figuresOf(sifted, sifted.slots[at] ?? 0),
    verdict: place === 0 ? 'chosen' : 'candidate',
    scored: scoring.scored(at),
  }
}

function refusedRow(sifted: Sifted, at: number): RankingRow {
  const slot = sifted.refused[at] ?? 0
  const figures = figuresOf(sifted, slot)
  const refusal = codeOf(sifted.verdicts[slot] ?? ABSENT) ?? 'Insufficient'
  const row = { ...figures, verdict: 'refused', refusal } as const
  if (refusal !== 'Insufficient') return row
  return { ...row, shortfalls: shortfallsOf(sifted.request, figures.available) }
}

function figuresOf({ board, request }: Sifted, slot: number) {
  const { allocatable, available, cost } = board.exact(slot)
  const pricePerHour = cost && priceFor(request.wanted, cost)
  return {
    clusterId: board.clusterIds[slot] ?? '',
    baseScore: baseScoreOf(allocatable, available),
    allocatable,
    available: clampZero(available),
    ...(pricePerHour !== undefined && { pricePerHour }),
  }
}

function shortfallsOf({ wanted }: PlacementRequest, available: Resources) {
  return Object.keys(wanted)
    .map((resource) => ({
      resource,
      wanted: amountOf(wanted, resource),
      available: amountOf(available, resource),
    }))
    .filter((one) => one.wanted > one.available)
}
