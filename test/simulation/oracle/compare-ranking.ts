import type { DecisionSummary, Ranking } from '@bourse/domain/placement'
import { compare, decimal, isNear } from './fraction.ts'
import { isBefore, priceOf, type Rank, REFUSALS, type Wish } from './ranking.ts'
import { pricesOf, type World } from './world.ts'

const BEST = 5
/** Shown with two decimals. */
const SHOWN = 0.005_01

/** What is wrong with a full table. */
export function wrongInRanking(
  world: World,
  { rows, leftOut, request }: Ranking,
  ranks: readonly Rank[],
): string | undefined {
  const left = Object.values(leftOut?.refused ?? {}).reduce((sum, count) => sum + count, 0)
  if (rows.length + left + (leftOut?.candidates ?? 0) !== ranks.length)
    return `the table has ${rows.length} rows of ${ranks.length}`
  const listed = rows.map(({ clusterId }) => clusterId)
  const told = rows.map(({ refusal, scored }) => ({ refusal, ...scored }))
  return (
    wrongOrder(listed, ranks) ?? wrongRows(listed, told, ranks) ?? wrongPrices(world, rows, request)
  )
}

/** What is wrong with what the journal keeps of a decision. */
export function wrongInSummary(
  { best, refused }: DecisionSummary,
  ranks: readonly Rank[],
): string | undefined {
  const candidates = ranks.filter(({ refusal }) => refusal === undefined)
  const listed = best.map(({ clusterId }) => clusterId)
  if (listed.length !== Math.min(BEST, candidates.length))
    return `the best are ${listed.join(', ')} of ${candidates.length} candidates`
  const counts = new Map<string, number>()
  for (const { refusal } of ranks) if (refusal) counts.set(refusal, (counts.get(refusal) ?? 0) + 1)
  const told = Object.entries(refused)
  if (told.length !== counts.size || told.some(([code, count]) => counts.get(code) !== count))
    return `${JSON.stringify(refused)} were refused, not ${JSON.stringify([...counts])}`
  return wrongOrder(listed, candidates) ?? wrongRows(listed, best, ranks)
}

/** Each must come before all that follow or are not listed, or be as good within a rounding error. */
function wrongOrder(listed: readonly string[], ranks: readonly Rank[]): string | undefined {
  const places = new Map(ranks.map((one) => [one.clusterId, one]))
  const told = listed.map((id) => places.get(id))
  const missing = ranks.filter(({ clusterId }) => !listed.includes(clusterId))
  for (const [nth, own] of told.entries()) {
    if (!own) return `${listed[nth]} is listed`
    const next = told[nth + 1]
    const better = (next ? [next] : missing).find((other) => isAhead(other, own))
    if (better) return `${own.clusterId} comes before ${better.clusterId}`
  }
  return undefined
}

function isAhead(left: Rank, right: Rank): boolean {
  if (left.refusal || right.refusal) return placeOf(left) < placeOf(right) || isFirst(left, right)
  const isTie = compare(left.score, right.score) === 0
  return (isTie || !isNear(left.score, right.score)) && isBefore(left, right) < 0
}

function isFirst(left: Rank, right: Rank): boolean {
  return left.refusal === right.refusal && left.clusterId < right.clusterId
}

const placeOf = ({ refusal }: Rank) => (refusal ? REFUSALS.indexOf(refusal) : -1)

type Told = Readonly<{
  refusal?: string | undefined
  score?: number
  parts?: Readonly<Record<string, number>>
}>

function wrongRows(listed: readonly string[], told: readonly Told[], ranks: readonly Rank[]) {
  for (const [nth, id] of listed.entries()) {
    const { refusal, score, parts } = told[nth] ?? {}
    const rank = ranks.find(({ clusterId }) => clusterId === id)
    if (!rank || rank.refusal !== refusal)
      return `${id} is refused as ${refusal}, not as ${rank?.refusal}`
    if (score === undefined) continue
    const { resources = decimal(rank.resources), cost } = parts ?? {}
    if ((cost === undefined) !== (rank.cost === undefined) && score > 0)
      return `${id} has a score for cost of ${cost}`
    const pairs = [
      [score, decimal(rank.score)],
      [resources, decimal(rank.resources)],
      [cost ?? 0, cost === undefined || !rank.cost ? 0 : decimal(rank.cost)],
    ] as const
    for (const [shown, exact] of pairs)
      if (!(Math.abs(shown - exact) < SHOWN)) return `${id} scores ${shown}, not ${exact}`
  }
  return undefined
}

function wrongPrices(world: World, rows: Ranking['rows'], { wanted }: Wish): string | undefined {
  for (const { clusterId, pricePerHour } of rows) {
    const supply = world.clusters.get(clusterId)
    const price = supply && priceOf(wanted, pricesOf(world, supply))
    if (price !== pricePerHour) return `${clusterId} would charge ${pricePerHour}, not ${price}`
  }
  return undefined
}
