import { describe, expect, it } from 'vitest'
import { scoredBy } from '../../../fixtures/placement/scorers/scorer.ts'
import { costScorer } from './cost-scorer.ts'

const CORE = { cpu: 1_000n }

describe('the score for cost', () => {
  it.each([
    {
      name: 'is 100 for the cheapest, and less in proportion',
      clusters: { paris: { cost: { cpu: 10n } }, berlin: { cost: { cpu: 40n } } },
      paris: 100,
      berlin: 25, // 100·10/40
    },
    {
      name: 'is 100 for what is free, and 0 beside it',
      clusters: { paris: { cost: { cpu: 0n } }, berlin: { cost: { cpu: 1n } } },
      paris: 100,
      berlin: 0,
    },
    {
      name: 'is the mean of the others for one without a price',
      clusters: { paris: {}, berlin: { cost: { cpu: 20n } }, oslo: { cost: { cpu: 10n } } },
      paris: 75, // (50 + 100) / 2
      berlin: 50,
    },
    {
      name: 'takes a price for other things as no price',
      clusters: { paris: { cost: { gpu: 1n } }, berlin: { cost: { cpu: 20n } } },
      paris: 100, // the mean of berlin alone
      berlin: 100,
    },
    {
      name: 'does not compare with a cluster that is out',
      clusters: {
        paris: { cost: { cpu: 20n } },
        berlin: { cost: { cpu: 40n } },
        oslo: { cost: { cpu: 1n }, available: { cpu: 0n } },
      },
      paris: 100,
      berlin: 50,
    },
  ])('$name', ({ clusters, paris, berlin }) => {
    const { scoreOf } = scoredBy(costScorer, clusters, CORE)

    expect(scoreOf('paris')).toBeCloseTo(paris)
    expect(scoreOf('berlin')).toBeCloseTo(berlin)
  })

  it('has nothing to say where no candidate has a price', () => {
    expect(scoredBy(costScorer, { paris: {}, berlin: {} }, CORE).applies).toBe(false)
  })

  it('depends on the only cluster that is cheapest', () => {
    const clusters = { paris: { cost: { cpu: 10n } }, berlin: { cost: { cpu: 40n } } }

    const { affectsOthers } = scoredBy(costScorer, clusters, CORE)

    expect(affectsOthers('paris')).toBe(true)
    expect(affectsOthers('berlin')).toBe(false)
  })

  it('gives the cheapest 100 to the last bit, whatever its price', () => {
    const allocatable = { cpu: 1n, memory: 1n }
    const clusters = {
      paris: { allocatable, cost: { cpu: 10n ** 9n, memory: 10n } },
      berlin: { allocatable, cost: { memory: 10n ** 18n - 1n } },
    }

    const { scoreOf, affectsOthers } = scoredBy(costScorer, clusters, { memory: 1n, cpu: 1n })

    expect(scoreOf('paris')).toBe(100)
    expect(affectsOthers('paris')).toBe(true)
  })

  it('depends on no single cluster where two are as cheap', () => {
    const clusters = { paris: { cost: { cpu: 10n } }, berlin: { cost: { cpu: 10n } } }

    expect(scoredBy(costScorer, clusters, CORE).affectsOthers('paris')).toBe(false)
  })

  it('depends on all where some get the mean', () => {
    const clusters = {
      paris: {},
      berlin: { cost: { cpu: 40n } },
      oslo: { cost: { cpu: 10n } },
    }

    expect(scoredBy(costScorer, clusters, CORE).affectsOthers('berlin')).toBe(true)
  })
})
