import { describe, expect, it } from 'vitest'
import { aBoard, type Clusters } from '../../fixtures/placement/board/board.ts'
import type { Resources } from '../quantity/resources.ts'
import { Mark } from './board/board.ts'
import { createPlacement } from './decide.ts'
import { defaultPolicy } from './scorers/policy.ts'

const GIB = 2n ** 30n
const placement = createPlacement(defaultPolicy)

function decide(clusters: Clusters, wanted: Resources = { cpu: 1_000n }, pinned?: string) {
  const request = { requester: 'rome', wanted, ...(pinned !== undefined && { pinned }) }
  const { legs, ...decision } = placement.decide(aBoard(clusters), request)
  return { ...decision, chosen: legs[0]?.clusterId, legs }
}

describe('filters', () => {
  it.each([
    { name: 'the requester itself', clusters: { rome: {} }, code: 'IsRequester' },
    { name: 'a stale cluster', clusters: { paris: { marks: Mark.stale } }, code: 'Stale' },
    { name: 'a cordoned one', clusters: { paris: { marks: Mark.cordoned } }, code: 'Cordoned' },
    { name: 'a withdrawn one', clusters: { paris: { marks: Mark.withdrawn } }, code: 'Withdrawn' },
    {
      name: 'one too small',
      clusters: { paris: { available: { cpu: 999n } } },
      code: 'Insufficient',
    },
    {
      name: 'one that owes',
      clusters: { paris: { available: { cpu: -1n } } },
      code: 'Insufficient',
    },
    {
      name: 'one without it',
      clusters: { paris: { allocatable: { memory: 9n } } },
      code: 'Insufficient',
    },
    {
      name: 'a stale one that is too small, for being stale',
      clusters: { paris: { marks: Mark.stale, available: {} } },
      code: 'Stale',
    },
  ])('refuse $name', ({ clusters, code }) => {
    const { chosen, summary } = decide(clusters)

    expect(chosen).toBeUndefined()
    expect(summary).toEqual({ policy: 'resources=70,cost=30', best: [], refused: { [code]: 1 } })
  })

  it('leave a pinned request its target alone', () => {
    const clusters = { paris: {}, berlin: { available: { cpu: 2_000n } }, rome: {} }

    expect(decide(clusters, { cpu: 1_000n }, 'berlin')).toMatchObject({
      chosen: 'berlin',
      summary: { refused: { NotTheTarget: 1, IsRequester: 1 } },
    })
    expect(decide(clusters, { cpu: 1_000n }, 'oslo').chosen).toBeUndefined()
  })
})

describe('scores', () => {
  it('are the mean share that stays free, when no cluster has a price', () => {
    const paris = { allocatable: { cpu: 8_000n, memory: 32n * GIB, 'nvidia.com/gpu': 4n } }

    const { summary } = decide({ paris }, { cpu: 4_000n, memory: 8n * GIB })

    // (50 + 75) / 2; GPUs are not wanted and do not count
    expect(summary.best).toEqual([{ clusterId: 'paris', score: 62.5, parts: { resources: 62.5 } }])
  })

  it('weigh resources 70 and cost 30', () => {
    const { summary } = decide({
      paris: { cost: { cpu: 20n } },
      berlin: { available: { cpu: 5_000n }, cost: { cpu: 10n } },
    })

    expect(summary.best).toEqual([
      { clusterId: 'paris', score: 78, parts: { resources: 90, cost: 50 } }, // 0.7·90 + 0.3·50
      { clusterId: 'berlin', score: 58, parts: { resources: 40, cost: 100 } }, // 0.7·40 + 0.3·100
    ])
  })

  it('go to the only fit of the contract: 8 cpu and 15Gi on cluster-1', () => {
    const clusters = {
      'cluster-1': {
        allocatable: { cpu: 15_000n, memory: 30n * GIB },
        available: { cpu: 10_000n, memory: 20n * GIB },
      },
      'cluster-2': {
        allocatable: { cpu: 7_000n, memory: 14n * GIB },
        available: { cpu: 5_000n, memory: 10n * GIB },
      },
    }

    expect(decide(clusters, { cpu: 8_000n, memory: 15n * GIB }).chosen).toBe('cluster-1')
    expect(decide(clusters, { cpu: 20_000n, memory: 50n * GIB }).summary.refused).toEqual({
      Insufficient: 2,
    })
  })
})

describe('ties', () => {
  it('go to the fewest live reservations', () => {
    expect(decide({ berlin: { liveCount: 2 }, paris: { liveCount: 1 } }).chosen).toBe('paris')
  })

  it('then to the first cluster id', () => {
    expect(decide({ paris: {}, berlin: {} }).chosen).toBe('berlin')
  })

  it('are seen through the rounding of floating point', () => {
    const wanted = { cpu: 1n, memory: 1n, pods: 1n }
    // 0 + 1/3 + 2/3 and 1/3 + 1/3 + 1/3 are equal on paper, not in doubles
    const uneven = {
      allocatable: { cpu: 3n, memory: 3n, pods: 3n },
      available: { cpu: 1n, memory: 2n, pods: 3n },
    }
    const even = {
      allocatable: { cpu: 6n, memory: 3n, pods: 9n },
      available: { cpu: 3n, memory: 2n, pods: 4n },
    }

    expect(decide({ berlin: { ...uneven, liveCount: 1 }, paris: even }, wanted).chosen).toBe(
      'paris',
    )
    expect(decide({ berlin: uneven, paris: { ...even, liveCount: 1 } }, wanted).chosen).toBe(
      'berlin',
    )
  })
})

describe('the summary', () => {
  it('keeps the best five, the chosen one first, and counts the refused', () => {
    const { chosen, summary } = decide({
      a: {},
      b: {},
      c: {},
      d: {},
      e: {},
      f: {},
      g: { marks: Mark.stale },
      h: { marks: Mark.stale },
      rome: {},
    })

    expect(chosen).toBe('a')
    expect(summary.best.map(({ clusterId }) => clusterId)).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(summary.refused).toEqual({ Stale: 2, IsRequester: 1 })
  })
})

describe('rank', () => {
  const board = aBoard({
    rome: {},
    berlin: { marks: Mark.stale },
    oslo: { available: { cpu: -500n } },
    paris: { cost: { cpu: 10n } },
    turin: { available: { cpu: 5_000n } },
  })
  const request = { requester: 'rome', wanted: { cpu: 2_000n } }

  it('tells every cluster with its numbers, the refused after the candidates', () => {
    const { rows, leftOut } = placement.rank(board, request)

    expect(rows.map(({ clusterId, verdict, refusal }) => [clusterId, verdict, refusal])).toEqual([
      ['paris', 'chosen', undefined],
      ['turin', 'candidate', undefined],
      ['oslo', 'refused', 'Insufficient'],
      ['berlin', 'refused', 'Stale'],
      ['rome', 'refused', 'IsRequester'],
    ])
    expect(rows[0]).toMatchObject({ pricePerHour: 20n, scored: { score: 86 } }) // 0.7·80 + 0.3·100
    expect(rows[2]?.shortfalls).toEqual([{ resource: 'cpu', wanted: 2_000n, available: 0n }])
    expect(rows[2]?.available).toEqual({ cpu: 0n })
    expect(leftOut).toBeUndefined()
  })

  it('counts what a limit leaves out', () => {
    const { rows, leftOut } = placement.rank(board, request, { rowsMax: 3 })

    expect(rows.map(({ clusterId }) => clusterId)).toEqual(['paris', 'turin', 'oslo'])
    expect(leftOut).toEqual({ candidates: 0, refused: { Stale: 1, IsRequester: 1 } })
  })
})
