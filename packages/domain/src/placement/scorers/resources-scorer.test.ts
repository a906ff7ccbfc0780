import { describe, expect, it } from 'vitest'
import { scoredBy } from '../../../fixtures/placement/scorers/scorer.ts'
import { resourcesScorer } from './resources-scorer.ts'

describe('the score for resources that stay free', () => {
  const allocatable = { cpu: 8_000n, memory: 32n, 'nvidia.com/gpu': 4n }

  it.each([
    { name: 'is near the top for a tiny request', wanted: { cpu: 80n }, score: 99 },
    { name: 'is nothing for an exact fit', wanted: { cpu: 8_000n, memory: 32n }, score: 0 },
    {
      name: 'is the mean over what is asked for, in any unit',
      wanted: { cpu: 4_000n, memory: 8n },
      score: 62.5, // (50 + 75) / 2
    },
    {
      name: 'leaves out what is asked for with nothing',
      wanted: { cpu: 4_000n, memory: 0n },
      score: 50,
    },
  ])('$name', ({ wanted, score }) => {
    const { scoreOf, applies } = scoredBy(resourcesScorer, { paris: { allocatable } }, wanted)

    expect(applies).toBe(true)
    expect(scoreOf('paris')).toBeCloseTo(score)
  })

  it('counts what is held for others as gone', () => {
    const paris = { allocatable: { cpu: 8_000n }, available: { cpu: 4_000n } }

    const { scoreOf } = scoredBy(resourcesScorer, { paris }, { cpu: 2_000n })

    expect(scoreOf('paris')).toBeCloseTo(25) // 100·(4 − 2)/8
  })

  it('has nothing to say about a request for nothing', () => {
    expect(scoredBy(resourcesScorer, { paris: {} }, {}).applies).toBe(false)
  })

  it('follows one cluster whose holding has changed, and leaves the others', () => {
    const clusters = { paris: {}, berlin: {} }
    const { board, scoreOf, rescore } = scoredBy(resourcesScorer, clusters, { cpu: 1_000n })

    board.setHolding(board.slotOf('paris') ?? -1, {
      available: { cpu: 2_000n },
      liveCount: 1,
    })
    rescore('paris')

    expect(scoreOf('paris')).toBeCloseTo(10) // 100·(2 − 1)/10
    expect(scoreOf('berlin')).toBeCloseTo(90)
  })
})
