import { compare, type Fraction, fraction, plus, shareOf, times, ZERO } from './fraction.ts'

type Amounts = Readonly<Record<string, bigint>>
/** Of a core, a GiB and a GPU for an hour, in billionths. */
export type Prices = Readonly<{ cpu?: bigint; memory?: bigint; gpu?: bigint }>
export type Wish = Readonly<{
  requester: string
  wanted: Amounts
  pinned?: string | undefined
  oneNode?: true | undefined
}>
/** A cluster as a request meets it. */
export type Candidate = Readonly<{
  clusterId: string
  isStale: boolean
  accepting: 'open' | 'cordoned' | 'withdrawn'
  allocatable: Amounts
  free: Amounts
  /** What one node has free, less what was granted since. Absent: not said. */
  nodeFree?: Amounts | undefined
  /** In the broker's currency. Absent: none that count. */
  prices?: Prices | undefined
  live: number
}>
export type Rank = Readonly<{
  clusterId: string
  refusal?: string
  score: Fraction
  resources: Fraction
  cost?: Fraction | undefined
  live: number
}>
export type Weights = Readonly<{ resources: bigint; cost: bigint }>

const MILLI = 1_000n
const GIB = 1n << 30n
const HOUR_UNITS = MILLI * GIB
const GPUS = /^(nvidia\.com\/(gpu$|mig-)|amd\.com\/gpu$|gpu\.intel\.com\/)/
export const REFUSALS =
  'NoNodeFits Insufficient Stale Cordoned Withdrawn NotTheTarget IsRequester'.split(' ')

/** contract §3: filter, score 0 to 100, highest first; ties: fewest live, then cluster id. */
export function rank(all: readonly Candidate[], wish: Wish, weights: Weights): Rank[] {
  const refused: (Rank & { refusal: string })[] = []
  const candidates: Candidate[] = []
  for (const one of all) {
    const refusal = refusalOf(one, wish)
    const { clusterId, live } = one
    if (refusal) refused.push({ clusterId, live, refusal, score: ZERO, resources: ZERO })
    else candidates.push(one)
  }
  const costs =
    weights.cost > 0n
      ? costScores(candidates.map((one) => costOf(wish.wanted, one.prices)))
      : undefined
  const ranked = candidates.map((one, nth): Rank => {
    const resources = resourceScore(one, wish.wanted)
    const cost = costs?.[nth]
    const score = weighted(resources, cost, weights)
    return { clusterId: one.clusterId, live: one.live, score, resources, cost }
  })
  return [
    ...ranked.sort(isBefore),
    ...refused.sort(
      (left, right) =>
        REFUSALS.indexOf(left.refusal) - REFUSALS.indexOf(right.refusal) || byId(left, right),
    ),
  ]
}

export function isBefore(left: Rank, right: Rank): number {
  return compare(right.score, left.score) || left.live - right.live || byId(left, right)
}

function byId(left: Rank, right: Rank): number {
  return left.clusterId < right.clusterId ? -1 : Number(left.clusterId > right.clusterId)
}

function refusalOf(one: Candidate, { requester, wanted, pinned, oneNode }: Wish) {
  if (one.clusterId === requester) return 'IsRequester'
  if (pinned !== undefined && pinned !== one.clusterId) return 'NotTheTarget'
  if (one.isStale) return 'Stale'
  if (one.accepting !== 'open') return one.accepting === 'cordoned' ? 'Cordoned' : 'Withdrawn'
  const asked = Object.entries(wanted).filter(([, amount]) => amount > 0n)
  if (asked.some(([name, amount]) => amount > (one.free[name] ?? 0n))) return 'Insufficient'
  const isTooLarge = asked.some(([name, amount]) => amount > (one.nodeFree?.[name] ?? amount))
  return oneNode && isTooLarge ? 'NoNodeFits' : undefined
}

/** The mean over the requested resources of 100·(available − wanted)/allocatable. */
function resourceScore({ free, allocatable }: Candidate, wanted: Amounts): Fraction {
  const asked = Object.entries(wanted).filter(([, amount]) => amount > 0n)
  const shares = asked.map(([name, amount]) =>
    fraction(100n * ((free[name] ?? 0n) - amount), allocatable[name] || 1n),
  )
  return shareOf(shares.reduce(plus, ZERO), BigInt(asked.length || 1))
}

/** For an hour, in 1/(1000·2^30) of a billionth. Undefined: nothing that is wanted has a price. */
function costOf(wanted: Amounts, prices: Prices = {}): bigint | undefined {
  let total: bigint | undefined
  for (const name in wanted) {
    const amount = wanted[name] ?? 0n
    const price = name === 'cpu' ? prices.cpu : name === 'memory' ? prices.memory : undefined
    const each = GPUS.test(name) ? prices.gpu : price
    const units = name === 'cpu' ? GIB : name === 'memory' ? MILLI : HOUR_UNITS
    if (each !== undefined && amount > 0n) total = (total ?? 0n) + amount * each * units
  }
  return total
}

/** To the nearest billionth. */
export function priceOf(wanted: Amounts, prices: Prices | undefined): bigint | undefined {
  const cost = costOf(wanted, prices)
  return cost === undefined ? undefined : (2n * cost + HOUR_UNITS) / (2n * HOUR_UNITS)
}

/** 100·cheapest/price, free = 100; unpriced: the mean of the others. Undefined: none is priced. */
function costScores(costs: readonly (bigint | undefined)[]): Fraction[] | undefined {
  const priced = costs.filter((cost) => cost !== undefined)
  if (priced.length === 0) return undefined
  const [cheapest = 0n] = priced.toSorted((left, right) => (left < right ? -1 : 1))
  const scoreOf = (cost: bigint) => (cost === 0n ? fraction(100n) : fraction(100n * cheapest, cost))
  if (priced.length === costs.length) return priced.map(scoreOf)
  const mean = shareOf(priced.map(scoreOf).reduce(plus), BigInt(priced.length))
  return costs.map((cost) => (cost === undefined ? mean : scoreOf(cost)))
}

function weighted(resources: Fraction, cost: Fraction | undefined, weights: Weights): Fraction {
  const weightOfCost = cost ? weights.cost : 0n
  const sum = weights.resources + weightOfCost
  if (sum === 0n) return ZERO
  const total = plus(times(resources, weights.resources), times(cost ?? ZERO, weightOfCost))
  return shareOf(total, sum)
}

/** A cluster that hides its numbers: two significant bits of each, cores in eighths. */
export function coarse(one: Candidate): Candidate {
  const { allocatable, free, nodeFree } = one
  return {
    ...one,
    live: 0,
    allocatable: coarsely(allocatable),
    free: coarsely(free),
    nodeFree: nodeFree && coarsely(nodeFree),
  }
}

export function coarsely(amounts: Amounts): Amounts {
  const rounded = Object.entries(amounts).map(([name, amount]) => {
    const step = name === 'cpu' ? 125n : 1n
    return [name, amount > 0n ? twoBits(amount / step) * step : 0n]
  })
  return Object.fromEntries(rounded)
}

function twoBits(amount: bigint): bigint {
  const dropped = BigInt(Math.max(0, amount.toString(2).length - 2))
  return (amount >> dropped) << dropped
}
