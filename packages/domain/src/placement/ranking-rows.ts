import { amountOf, clampZero, type Resources } from '../quantity/resources.ts'
import { baseScoreOf } from './base-score.ts'
import {
  type PlacementRequest,
  type Ranking,
  type RankingRow,
  REFUSAL_CODES,
  type RefusalCode,
} from './decision.ts'
import { firstOf } from './first-of.ts'
import { priceFor } from './price.ts'
import type { Scoring } from './scoring.ts'
import { countRefusals, type Sifted } from './sieve.ts'

type Table = Readonly<{ sifted: Sifted; scoring: Scoring; rowsMax: number }>

/** The rows of a ranking: candidates best first, then the refused. */
export function rowsOf({ sifted, scoring, rowsMax }: Table): Pick<Ranking, 'rows' | 'leftOut'> {
  const best = firstOf(sifted.count, rowsMax, scoring.isBetter)
  const refused = firstOf(sifted.refusedCount, rowsMax - best.length, byReason(sifted))
  const rows = [
    ...best.map((at, place) => candidateRow({ sifted, scoring, at, place })),
    ...refused.map((at) => refusedRow(sifted, at)),
  ]
  if (rows.length === sifted.count + sifted.refusedCount) return { rows }
  const hidden = countRefusals(sifted, new Set(refused))
  return { rows, leftOut: { candidates: sifted.count - best.length, refused: hidden } }
}

function byReason({ board, refused, codes }: Sifted) {
  return (left: number, right: number): boolean => {
    const leftCode = codes[left]
    const rightCode = codes[right]
    if (leftCode !== rightCode) return weightOf(leftCode) < weightOf(rightCode)
    const leftId = board.clusterIds[refused[left] ?? 0] ?? ''
    return leftId < (board.clusterIds[refused[right] ?? 0] ?? '')
  }
}

function weightOf(code: RefusalCode | undefined): number {
  return code === undefined ? REFUSAL_CODES.length : REFUSAL_CODES.indexOf(code)
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
  const figures = figuresOf(sifted, sifted.refused[at] ?? 0)
  const refusal = sifted.codes[at] ?? 'Insufficient'
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
