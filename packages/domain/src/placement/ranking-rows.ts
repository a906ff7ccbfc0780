import { clampZero, type Resources } from '../quantity/resources.ts'
import type { Board } from './board/board.ts'
import { type CoarseBoard, shortfallsOf } from './board/coarse-board.ts'
import { priceFor } from './board/price.ts'
import { ABSENT, codeOf, type Field } from './board/verdicts.ts'
import type { Ranking, RankingRow } from './decision/decision.ts'
import { shortOnNode } from './decision/room.ts'
import { countRefusals } from './filters/filtering.ts'
import type { Scoring } from './scorers/scoring.ts'
import { firstOf } from './selection/first-of.ts'

type Table = Readonly<{ field: Field; scoring: Scoring; rowsMax: number }>

/** The rows of a ranking: candidates best first, then the refused. */
export function rowsOf({ field, scoring, rowsMax }: Table): Pick<Ranking, 'rows' | 'leftOut'> {
  const best = scoring.best(rowsMax)
  const passedOver = passedOverSlots(field)
  const refused = firstOf({
    count: passedOver.length,
    max: rowsMax - best.length,
    isBefore: byReason(field, passedOver),
  })
  const rows = [
    ...best.map((slot, place) => candidateRow({ field, scoring, slot, place })),
    ...refused.map((at) => refusedRow(field, passedOver[at] ?? 0)),
  ]
  const candidates = field.board.count - field.verdicts.outCount
  if (rows.length === candidates + passedOver.length) return { rows }
  return { rows, leftOut: leftOut(field, rows, candidates - best.length) }
}

/** The refused clusters, without empty slots. */
function passedOverSlots({ verdicts: { bySlot, out, outCount } }: Field): readonly number[] {
  return Array.from(out.subarray(0, outCount)).filter((slot) => bySlot[slot] !== ABSENT)
}

function leftOut(field: Field, rows: readonly RankingRow[], candidates: number) {
  const refused = countRefusals(field)
  for (const { refusal } of rows) {
    if (refusal === undefined) continue
    const rest = (refused[refusal] ?? 0) - 1
    if (rest > 0) refused[refusal] = rest
    else delete refused[refusal]
  }
  return { candidates, refused }
}

/** Verdicts are numbered in the order of `REFUSAL_CODES`. */
function byReason({ board, verdicts: { bySlot } }: Field, slots: readonly number[]) {
  return (left: number, right: number): boolean => {
    const leftSlot = slots[left] ?? 0
    const rightSlot = slots[right] ?? 0
    const lead = (bySlot[leftSlot] ?? 0) - (bySlot[rightSlot] ?? 0)
    if (lead !== 0) return lead < 0
    return (board.clusterIds[leftSlot] ?? '') < (board.clusterIds[rightSlot] ?? '')
  }
}

type Place = Readonly<{ field: Field; scoring: Scoring; slot: number; place: number }>

function candidateRow({ field, scoring, slot, place }: Place): RankingRow {
  return {
    ...figuresOf(field, slot),
    verdict: place === 0 ? 'chosen' : 'candidate',
    scored: scoring.scored(slot),
  }
}

function refusedRow(field: Field, slot: number): RankingRow {
  const figures = figuresOf(field, slot)
  const refusal = codeOf(field.verdicts.bySlot[slot] ?? ABSENT) ?? 'Insufficient'
  const row = { ...figures, verdict: 'refused', refusal } as const
  const { wanted } = field.request
  if (refusal === 'Insufficient')
    return { ...row, shortfalls: shortfallsOf(wanted, figures.available) }
  if (refusal !== 'NoNodeFits') return row
  const node = clampZero(shortOnNode(wanted, field.board.exact(slot).nodeFit) ?? {})
  return { ...row, shortfalls: shortfallsOf(only(wanted, node), node) }
}

function only(wanted: Resources, names: Resources): Resources {
  return Object.fromEntries(Object.entries(wanted).filter(([name]) => name in names))
}

function figuresOf({ board, request }: Field, slot: number) {
  const { allocatable, available, cost, largestFit } = board.exact(slot)
  const largestNode = shortOnNode(request.wanted, largestFit)
  const pricePerHour = cost && priceFor(request.wanted, cost)
  return {
    clusterId: board.clusterIds[slot] ?? '',
    allocatable,
    available: clampZero(available),
    ...(largestNode && { largestNode }),
    ...(pricePerHour !== undefined && { pricePerHour }),
    ...(cost?.unpriced !== undefined && { unpriced: cost.unpriced }),
    ...(isCoarse(board, slot) && { isCoarse: true as const }),
  }
}

function isCoarse(board: Board | CoarseBoard, slot: number): boolean {
  return 'isCoarse' in board && board.isCoarse(slot)
}
