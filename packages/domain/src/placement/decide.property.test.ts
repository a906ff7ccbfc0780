import fc from 'fast-check'
import { expect, it } from 'vitest'
import { strictRules } from '../../fixtures/placement/strict-rules.ts'
import { amountOf, fits, type Resources } from '../quantity/resources.ts'
import { type Board, Mark } from './board/board.ts'
import { type ClusterFacts, createBoard, type WritableBoard } from './board/create-board.ts'
import { verdictOf } from './board/verdicts.ts'
import { createPlacement } from './decide.ts'
import type { PlacementRequest, Ranking } from './decision/decision.ts'
import type { Filter } from './filters/filter.ts'
import { type Rules, rules } from './rules.ts'
import { defaultPolicy, type Policy } from './scorers/policy.ts'
import type { Scorer } from './scorers/scorer.ts'

type Cluster = readonly [clusterId: string, facts: ClusterFacts]

const placement = createPlacement(defaultPolicy)

// Few round numbers, so that ties and exact fits are common and near ties do not occur.
const times12 = (unit: bigint) => fc.bigInt(0n, 12n).map((count) => count * unit)
const resources = fc.record(
  { cpu: times12(1000n), memory: times12(2n ** 30n), 'nvidia.com/gpu': times12(1n) },
  { requiredKeys: [] },
)
const prices = fc.record(
  { cpu: fc.bigInt(0n, 4n), memory: fc.bigInt(0n, 4n), gpu: fc.bigInt(0n, 4n) },
  { requiredKeys: [] },
)
const facts: fc.Arbitrary<ClusterFacts> = fc
  .record(
    {
      marks: fc.constantFrom(0, 0, 0, Mark.stale, Mark.cordoned, Mark.withdrawn),
      liveCount: fc.nat(2),
      allocatable: resources,
      taken: resources,
      cost: prices,
      largestFit: resources,
      nodeFit: resources,
    },
    { requiredKeys: ['marks', 'liveCount', 'allocatable', 'taken'] },
  )
  .map(({ taken, ...rest }) => ({
    ...rest,
    available: Object.fromEntries(
      Object.entries(rest.allocatable).map(([name, all]) => [name, all - amountOf(taken, name)]),
    ),
  }))
const clusters: fc.Arbitrary<Cluster[]> = fc.uniqueArray(
  fc.tuple(fc.constantFrom('rome', 'a', 'b', 'c', 'd', 'e', 'f', 'g'), facts),
  { selector: ([clusterId]) => clusterId, maxLength: 8 },
)
const requests: fc.Arbitrary<PlacementRequest> = fc.record(
  {
    requester: fc.constant('rome'),
    wanted: resources,
    pinned: fc.constantFrom('a', 'rome', 'z'),
    oneNode: fc.constant(true as const),
  },
  { requiredKeys: ['requester', 'wanted'] },
)

function boardOf(all: readonly Cluster[]) {
  const board = createBoard()
  for (const [clusterId, one] of all) board.place(clusterId, one)
  return board
}

function chosenOn(board: Board, request: PlacementRequest): string | undefined {
  return placement.decide(board, request).legs[0]?.clusterId
}

it('decides as the formulas of the contract do in exact fractions', () => {
  fc.assert(
    fc.property(clusters, requests, (all, request) => {
      expect(chosenOn(boardOf(all), request)).toBe(exactWinner(all, request))
    }),
    { numRuns: 500 },
  )
})

it('decides the same in any order of the clusters, and after others have gone', () => {
  fc.assert(
    fc.property(clusters, requests, (all, request) => {
      const reordered = boardOf(all.toReversed())
      const outlived = boardOf([...all.slice(0, 2), ['gone', GONE], ...all.slice(2)])
      outlived.remove('gone')

      const chosen = chosenOn(boardOf(all), request)

      expect(chosenOn(reordered, request)).toBe(chosen)
      expect(chosenOn(outlived, request)).toBe(chosen)
    }),
  )
})

it('ranks the cluster first that it decides for, and lists every cluster once', () => {
  fc.assert(
    fc.property(clusters, requests, (all, request) => {
      const board = boardOf(all)
      const { legs, summary } = placement.decide(board, request)

      const { rows } = placement.rank(board, request)

      expect(rows.find(({ verdict }) => verdict === 'chosen')?.clusterId).toBe(legs[0]?.clusterId)
      expect(rows.flatMap(({ scored }) => scored ?? []).slice(0, 5)).toEqual(summary.best)
      expect(rows.map(({ clusterId }) => clusterId).toSorted()).toEqual(
        all.map(([clusterId]) => clusterId).toSorted(),
      )
    }),
  )
})

it('accepts an exact fit and refuses one unit more, however large', () => {
  fc.assert(
    fc.property(fc.bigInt(1n, 2n ** 63n - 1n), (amount) => {
      const supply = { allocatable: { memory: amount }, available: { memory: amount } }
      const board = boardOf([['paris', { marks: 0, liveCount: 0, ...supply }]])

      const exact = chosenOn(board, { requester: 'rome', wanted: { memory: amount } })
      const more = chosenOn(board, { requester: 'rome', wanted: { memory: amount + 1n } })

      expect(exact).toBe('paris')
      expect(more).toBeUndefined()
    }),
  )
})

const GONE: ClusterFacts = {
  marks: 0,
  liveCount: 0,
  allocatable: { cpu: 100n, memory: 100n, 'nvidia.com/gpu': 100n },
  available: { cpu: 100n, memory: 100n, 'nvidia.com/gpu': 100n },
  cost: { cpu: 0n, memory: 0n, gpu: 0n },
}

// The reference: plain, slow, and in fractions of integers.

type Fraction = readonly [over: bigint, under: bigint]

const plus = ([a, b]: Fraction, [c, d]: Fraction): Fraction => [a * d + c * b, b * d]
const times = ([a, b]: Fraction, [c, d]: Fraction): Fraction => [a * c, b * d]
const isLess = ([a, b]: Fraction, [c, d]: Fraction): boolean => a * d < c * b
const mean = (all: readonly Fraction[]): Fraction =>
  times(all.reduce(plus, [0n, 1n]), [1n, BigInt(all.length)])

function exactWinner(all: readonly Cluster[], request: PlacementRequest): string | undefined {
  const { requester, pinned, wanted, oneNode } = request
  const candidates = all.filter(
    ([clusterId, { marks, available, nodeFit = {} }]) =>
      clusterId !== requester &&
      (pinned === undefined || clusterId === pinned) &&
      marks === 0 &&
      fits(wanted, available) &&
      (!oneNode || Object.entries(nodeFit).every(([name, most]) => amountOf(wanted, name) <= most)),
  )
  const costs = exactCosts(candidates, request)
  const scored = candidates.map((cluster, at) => ({
    cluster,
    score: exactScore(exactShare(cluster, request), costs[at]),
  }))
  scored.sort((left, right) => {
    if (isLess(left.score, right.score)) return 1
    if (isLess(right.score, left.score)) return -1
    const fewer = left.cluster[1].liveCount - right.cluster[1].liveCount
    return fewer !== 0 ? fewer : left.cluster[0] < right.cluster[0] ? -1 : 1
  })
  return scored[0]?.cluster[0]
}

function exactScore(share: Fraction | undefined, cost: Fraction | undefined): Fraction {
  if (share === undefined) return cost ?? [0n, 1n]
  return cost === undefined ? share : plus(times(share, [7n, 10n]), times(cost, [3n, 10n]))
}

function exactShare([, facts]: Cluster, { wanted }: PlacementRequest): Fraction | undefined {
  const names = Object.keys(wanted).filter((name) => amountOf(wanted, name) > 0n)
  if (names.length === 0) return undefined
  return mean(
    names.map((name) => [
      100n * (amountOf(facts.available, name) - amountOf(wanted, name)),
      amountOf(facts.allocatable, name),
    ]),
  )
}

function exactCosts(candidates: readonly Cluster[], { wanted }: PlacementRequest) {
  const bill = [
    { key: 'cpu', amount: amountOf(wanted, 'cpu'), under: 1000n },
    { key: 'memory', amount: amountOf(wanted, 'memory'), under: 2n ** 30n },
    { key: 'gpu', amount: amountOf(wanted, 'nvidia.com/gpu'), under: 1n },
  ] as const
  const all = candidates.map(([, { cost }]): Fraction | undefined => {
    const parts = bill.flatMap(({ key, amount, under }) => {
      const price = cost?.[key]
      return amount > 0n && price !== undefined ? [[amount * price, under] as const] : []
    })
    return parts.length > 0 ? parts.reduce(plus) : undefined
  })
  const known = all.filter((price) => price !== undefined)
  const cheapest = known.reduce(
    (low, price) => (isLess(price, low) ? price : low),
    known[0] ?? [0n, 1n],
  )
  const score = (price: Fraction): Fraction =>
    price[0] === 0n ? [100n, 1n] : [100n * cheapest[0] * price[1], cheapest[1] * price[0]]
  if (known.length === 0) return []
  return all.map((price) => (price === undefined ? mean(known.map(score)) : score(price)))
}

type Shift = Readonly<{ clusterId: string; facts: ClusterFacts; how: 'hold' | 'place' | 'remove' }>
type Step = Readonly<{ shifts: readonly Shift[]; request: PlacementRequest }>

/** Few different wishes of several requesters, so that most were asked for before. */
const wishes: readonly Resources[] = [
  { cpu: 1000n, memory: 2n ** 30n },
  { memory: 2n ** 30n, cpu: 1000n },
  { cpu: 4000n },
  { cpu: 2000n, memory: 2n ** 31n, 'nvidia.com/gpu': 2n },
  {},
]
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    shifts: fc.array(
      fc.record({
        clusterId: fc.constantFrom('rome', 'a', 'b', 'c', 'd'),
        facts,
        how: fc.constantFrom('hold', 'hold', 'hold', 'place', 'remove'),
      }),
      { maxLength: 3 },
    ),
    request: fc.record(
      {
        requester: fc.constantFrom('rome', 'a', 'elsewhere'),
        wanted: fc.constantFrom(...wishes),
        pinned: fc.constant('b'),
        oneNode: fc.constant(true as const),
      },
      { requiredKeys: ['requester', 'wanted'] },
    ),
  }),
  { maxLength: 40 },
)

function change(board: WritableBoard, { clusterId, facts: next, how }: Shift): void {
  const slot = board.slotOf(clusterId)
  if (how === 'remove') board.remove(clusterId)
  else if (how === 'place' || slot === undefined) board.place(clusterId, next)
  else board.setHolding(slot, next)
}

it('decides from what it remembers exactly as one that remembers nothing', () => {
  fc.assert(
    fc.property(clusters, steps, (all, story) => {
      const board = boardOf(all)
      const experienced = createPlacement(defaultPolicy, strictRules(rules))

      for (const { shifts, request } of story) {
        for (const shift of shifts) change(board, shift)

        const decided = experienced.decide(board, request)

        expect(decided).toEqual(createPlacement(defaultPolicy).decide(board, request))
        expect(decided.summary.refused).toEqual(refusedIn(experienced.rank(board, request)))
      }
    }),
    { numRuns: 500 },
  )
})

it('judges anew who has a node for a request when only holdings change', () => {
  const request = { requester: 'elsewhere', wanted: { cpu: 4000n }, oneNode: true } as const
  fc.assert(
    fc.property(clusters, steps, (all, story) => {
      const board = boardOf(all)
      const experienced = createPlacement(defaultPolicy, strictRules(rules))

      for (const { shifts } of story) {
        for (const shift of shifts) change(board, { ...shift, how: 'hold' })

        const decided = experienced.decide(board, request)

        expect(decided).toEqual(createPlacement(defaultPolicy).decide(board, request))
      }
    }),
    { numRuns: 300 },
  )
})

const favourites: Readonly<Record<string, string>> = { rome: 'a', a: 'b', elsewhere: 'c' }

/** Each requester has another cluster that it will not have. */
const choosy: Filter<'requester'> = {
  name: 'choosy',
  needs: ['requester'],
  refuse(board, { requester }, verdicts) {
    const slot = board.slotOf(favourites[favourites[requester] ?? ''] ?? 'd')
    if (slot !== undefined) verdicts.refuse(slot, verdictOf('NotTheTarget'))
  },
}
/** Each requester has another favourite. */
const partial: Scorer<'requester'> = {
  name: 'partial',
  needs: ['requester'],
  reads: [],
  score({ board, request }, scores) {
    scores.fill(0)
    const slot = board.slotOf(favourites[request.requester] ?? '')
    if (slot !== undefined) scores[slot] = 100
    return true
  },
}
const partialPolicy: Policy = {
  version: 'partial',
  weights: new Map([...defaultPolicy.weights, ['partial', 50]]),
}

it.each<{ name: string; policy: Policy; planted: Rules }>([
  {
    name: 'a filter',
    policy: defaultPolicy,
    planted: { ...rules, filters: rules.filters.toSpliced(-2, 0, choosy) },
  },
  {
    name: 'a scorer',
    policy: partialPolicy,
    planted: { ...rules, scorers: [...rules.scorers, partial] },
  },
])('remembers only for requests that agree on what $name needs', ({ policy, planted }) => {
  fc.assert(
    fc.property(clusters, steps, (all, story) => {
      const board = boardOf(all)
      const experienced = createPlacement(policy, strictRules(planted))

      for (const { shifts, request } of story) {
        for (const shift of shifts) change(board, shift)

        const { legs, summary } = experienced.decide(board, request)

        // The table is always made from scratch.
        const table = experienced.rank(board, request)
        const best = table.rows.flatMap(({ scored }) => scored ?? []).slice(0, 5)
        expect(legs.map(({ clusterId }) => clusterId)).toEqual(
          best.slice(0, 1).map(({ clusterId }) => clusterId),
        )
        expect(summary.best).toEqual(best)
        expect(summary.refused).toEqual(refusedIn(table))
      }
    }),
    { numRuns: 300 },
  )
})

it.each<{ name: string; policy: Policy; planted: Rules }>([
  {
    name: 'choosy',
    policy: defaultPolicy,
    planted: { ...rules, filters: [...rules.filters, { ...choosy, needs: ['wanted'] }] },
  },
  {
    name: 'partial',
    policy: partialPolicy,
    planted: { ...rules, scorers: [...rules.scorers, { ...partial, needs: [] }] },
  },
])('one that reads what it does not declare is found out: $name', ({ name, policy, planted }) => {
  const placement = createPlacement(policy, strictRules(planted))
  const ask = () => placement.decide(boardOf([['a', GONE]]), { requester: 'rome', wanted: {} })

  expect(ask).toThrow(`${name} reads requester and does not declare it`)
})

function refusedIn({ rows }: Ranking): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { refusal } of rows)
    if (refusal !== undefined) counts[refusal] = (counts[refusal] ?? 0) + 1
  return counts
}
