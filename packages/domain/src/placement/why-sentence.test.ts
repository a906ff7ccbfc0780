import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBoard } from './board/create-board.ts'
import { createPlacement } from './decide.ts'
import { formatScore } from './decision/base-score.ts'
import type { Scored } from './decision/decision.ts'
import { type Policy, parseWeights } from './scorers/policy.ts'
import { type Candidate, leadSentence, sumSentence } from './why-sentence.ts'

const POLICY = 'resources=70,cost=30'

function scored(clusterId: string, resources: number, cost?: number): Scored {
  const score = cost === undefined ? resources : 0.7 * resources + 0.3 * cost
  return { clusterId, score, parts: { resources, ...(cost !== undefined && { cost }) } }
}

describe('the sum behind a score', () => {
  it.each([
    { of: scored('a', 37.96, 100), policy: POLICY, says: '56.57 = 0.7 x 37.96 + 0.3 x 100' },
    { of: scored('a', 80), policy: POLICY, says: '80.00 for room alone' },
    {
      of: { clusterId: 'a', score: 66.67, parts: { cost: 66.67 } },
      policy: 'cost=5',
      says: '66.67 for price alone',
    },
    {
      of: { clusterId: 'a', score: 60, parts: { resources: 90, cost: 45 } },
      policy: 'resources=1,cost=2',
      says: '60.00 = 1/3 x 90 + 2/3 x 45',
    },
    { of: { clusterId: 'a', score: 0, parts: {} }, policy: 'cost=1', says: '0.00' },
    { of: scored('a', 10, 10), policy: 'of=1,another=2,time=3', says: '10.00' },
  ])('$says', ({ of, policy, says }) => {
    expect(sumSentence(of, policy)).toBe(says)
  })
})

describe('what put the first before the second', () => {
  const berlin = (resources: number, cost?: number, pricePerHour?: bigint): Candidate => ({
    scored: scored('berlin', resources, cost),
    pricePerHour,
  })
  const paris = (resources: number, cost?: number, pricePerHour?: bigint): Candidate => ({
    scored: scored('paris', resources, cost),
    pricePerHour,
  })

  it.each([
    {
      first: berlin(37.96, 100, 5n),
      second: paris(57.96, 50, 10n),
      says: 'half the price of paris outweighs 20 points less room',
    },
    {
      first: berlin(80, 50, 10n),
      second: paris(30, 100, 5n),
      says: '50 points more room than paris outweighs twice the price',
    },
    {
      first: berlin(41, 100, 3n),
      second: paris(40, 75, 4n),
      says: '1 point more room than paris and 75 % of the price',
    },
    { first: berlin(80), second: paris(60), says: '20 points more room than paris' },
    { first: berlin(60.5), second: paris(60), says: '0.5 points more room than paris' },
    { first: berlin(60.01), second: paris(60), says: '0.01 points before paris' },
    {
      first: berlin(40, 100, 0n),
      second: paris(50, 0, 7n),
      says: 'being free, unlike paris outweighs 10 points less room',
    },
    {
      first: berlin(90, 0, 7n),
      second: paris(20, 100, 0n),
      says: '70 points more room than paris outweighs having a price',
    },
    {
      first: berlin(40, 75),
      second: paris(40, 50, 7n),
      says: '25 points better price than paris',
    },
    {
      first: berlin(60, 60, 6n),
      second: paris(60, 60, 6n),
      says: 'level with paris to two decimals (a tie goes to the fewest reservations, then by name)',
    },
    { first: berlin(10), second: paris(60), says: undefined },
  ])('$says', ({ first, second, says }) => {
    expect(leadSentence(first, second)).toBe(says)
  })

  it.each([
    {
      first: berlin(37.96, 100, 5n),
      second: paris(57.96, 50, 10n),
      says: 'half the price of paris outweighs less room, by rounded amounts',
    },
    { first: berlin(80), second: paris(60), says: 'more room than paris, by rounded amounts' },
    { first: berlin(80), second: paris(80), says: 'level with paris, by rounded amounts' },
    { first: berlin(60.01), second: paris(60), says: 'just before paris, by rounded amounts' },
  ])('without a number of what is hidden: $says', ({ first, second, says }) => {
    expect(leadSentence({ ...first, isHidden: true }, second)).toBe(says)
    expect(leadSentence(first, { ...second, isHidden: true })).toBe(says)
  })
})

const amount = fc.bigInt(1n, 64_000n)
const price = fc.option(fc.bigInt(0n, 40n), { nil: undefined })
const clusters = fc.array(fc.record({ free: amount, taken: amount, price }), {
  minLength: 1,
  maxLength: 6,
})
const weight = fc.integer({ min: 0, max: 20 })

it('the printed sum is the printed score, and what is said of the parts is true', () => {
  fc.assert(
    fc.property(clusters, weight, weight, fc.bigInt(1n, 8_000n), (all, resources, cost, cpu) => {
      const parsed = parseWeights(`resources=${resources},cost=${cost}`)
      fc.pre(parsed.kind === 'ok')
      const candidates = rank(parsed.policy, all, cpu)
      for (const { scored: one } of candidates) holdsSum(one, parsed.policy)
      const [first, second] = candidates
      if (first && second) holdsLead(first, second, parsed.policy)
    }),
    { numRuns: 1000 },
  )
})

type Cluster = Readonly<{ free: bigint; taken: bigint; price?: bigint | undefined }>

function rank(policy: Policy, all: readonly Cluster[], cpu: bigint): Candidate[] {
  const board = createBoard()
  for (const [at, { free, taken, price: each }] of all.entries())
    board.place(`c${at}`, {
      marks: 0,
      liveCount: 0,
      allocatable: { cpu: free + taken },
      available: { cpu: free },
      ...(each !== undefined && { cost: { cpu: each * 1_000_000n } }),
    })
  const { rows } = createPlacement(policy).rank(board, { requester: 'rome', wanted: { cpu } })
  return rows.flatMap(({ scored: one, pricePerHour }) =>
    one ? [{ scored: one, pricePerHour }] : [],
  )
}

function holdsSum(one: Scored, { version }: Policy): void {
  const [total = '', terms] = sumSentence(one, version).split(/ = | for .* alone$/)
  expect(total).toBe(formatScore(one.score))
  if (!terms) return
  const sum = terms
    .split(' + ')
    .map((term) =>
      term
        .split(' x ')
        .map(value)
        .reduce((product, factor) => product * factor),
    )
    .reduce((before, next) => before + next)
  expect(Math.abs(sum - one.score)).toBeLessThan(0.0101)
}

/** Of `0.7`, and of `2/3`. */
function value(text: string): number {
  const [over = Number.NaN, under = 1] = text.split('/').map(Number)
  return over / under
}

/** Each phrase against the parts and prices, by a reading of its own. */
function holdsLead(first: Candidate, second: Candidate, { weights }: Policy): void {
  const said = leadSentence(first, second) ?? 'nothing'
  expect(said).not.toBe('nothing')
  const [gains = '', losses = ''] = said.split(/ outweighs? /)
  const ratio = Number(first.pricePerHour ?? 0n) / Number(second.pricePerHour ?? 0n)
  const room = difference('resources')

  if (said.startsWith('level with')) {
    expect(formatScore(first.scored.score)).toBe(formatScore(second.scored.score))
    return
  }
  if (/^[\d.]+ points? before/.test(said)) {
    expect(first.scored.score - second.scored.score).toBeLessThan(0.05)
    return
  }
  expect(first.scored.score).toBeGreaterThan(second.scored.score)
  if (/more room/.test(gains)) expect(room).toBeGreaterThan(0)
  if (/less room/.test(losses)) expect(room).toBeLessThan(0)
  expect(gains).not.toMatch(/less room|worse|times|twice|higher/)
  expect(losses).not.toMatch(/more room|better|half|lower| % of/)
  const [, points] = /([\d.]+) points? (?:more|less) room/.exec(said) ?? []
  if (points !== undefined) expect(Math.abs(Number(points) - Math.abs(room))).toBeLessThan(0.501)
  const [, percent, times] = /(\d+) % of the price|([\d.]+) times the price/.exec(said) ?? []
  if (percent ?? times)
    expect(Math.abs((percent ? Number(percent) / 100 : Number(times)) - ratio)).toBeLessThan(0.0051)
  if (/half the price/.test(said)) expect(Math.abs(ratio - 0.5)).toBeLessThan(0.0051)
  if (/outweigh/.test(said)) {
    const share = (name: string) => (weights.get(name) ?? 0) * difference(name)
    expect(share('resources') + share('cost')).toBeGreaterThan(-0.5)
    expect(Math.sign(room)).toBe(-Math.sign(difference('cost')))
  }

  function difference(name: string): number {
    return (first.scored.parts[name] ?? 0) - (second.scored.parts[name] ?? 0)
  }
}
