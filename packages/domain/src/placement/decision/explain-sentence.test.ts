import { describe, expect, it } from 'vitest'
import { Mark } from '../board/board.ts'
import { type ClusterFacts, createBoard } from '../board/create-board.ts'
import { createPlacement } from '../decide.ts'
import { defaultPolicy } from '../scorers/policy.ts'
import { type PlacementRequest, REFUSAL_CODES } from './decision.ts'
import {
  largestNodeSentence,
  refusalSentence,
  summarySentence,
  type Telling,
} from './explain-sentence.ts'

const GIB = 2n ** 30n
const wanted = { cpu: 8_000n, memory: 15n * GIB }
const small = { cpu: 5_000n, memory: 10n * GIB }

function rank(
  clusters: Readonly<Record<string, Partial<ClusterFacts>>>,
  request: Partial<PlacementRequest> = {},
  rowsMax = 100,
) {
  const board = createBoard()
  for (const [clusterId, facts] of Object.entries(clusters)) {
    const supply = { allocatable: small, available: small }
    board.place(clusterId, { marks: 0, liveCount: 0, ...supply, ...facts })
  }
  const full = { requester: 'rome', wanted, ...request }
  return createPlacement(defaultPolicy).rank(board, full, { rowsMax })
}

describe('refusalSentence', () => {
  it.each<{ clusters: Record<string, Partial<ClusterFacts>>; telling?: Telling; text: string }>([
    {
      clusters: { paris: { available: { cpu: 5_000n, memory: 20n * GIB } } },
      text: 'paris has 5 cpu, 8 wanted',
    },
    { clusters: { paris: {} }, text: 'paris has 5 cpu, 8 wanted; 10Gi memory, 15Gi wanted' },
    {
      clusters: { paris: { available: { memory: 20n * GIB } } },
      text: 'paris has no cpu, 8 wanted',
    },
    {
      clusters: { paris: {} },
      telling: { numbersOf: () => false },
      text: 'paris has too little cpu or memory',
    },
    {
      clusters: { paris: { available: { cpu: 8_000n, memory: 12_369_505_814n } } },
      text: 'paris has 11.52Gi memory, 15Gi wanted',
    },
    { clusters: { paris: { marks: Mark.stale } }, text: 'paris is stale' },
    { clusters: { paris: { marks: Mark.cordoned } }, text: 'paris is cordoned' },
    { clusters: { paris: { marks: Mark.withdrawn } }, text: 'paris is withdrawn' },
    { clusters: { rome: {} }, text: 'rome is the requester itself' },
  ])('$text', ({ clusters, telling, text }) => {
    const { rows } = rank(clusters)

    expect(rows.map((row) => refusalSentence(row, telling))).toEqual([text])
  })

  it('is empty for a cluster that was not refused', () => {
    const { rows } = rank({ paris: {} }, { wanted: { cpu: 1n } })

    expect(rows.map((row) => refusalSentence(row))).toEqual([''])
  })

  it('names resources as the caller did', () => {
    const { rows } = rank({ paris: {} }, { wanted: { 'nvidia.com/gpu': 2n } })

    expect(rows.map((row) => refusalSentence(row, { aliases: ['gpu'] }))).toEqual([
      'paris has no gpu, 2 wanted',
    ])
  })
})

describe('a request for one node', () => {
  const gpus = (count: bigint) => ({ 'nvidia.com/gpu': count })
  const asked = { wanted: gpus(8n), oneNode: true as const }
  const paris = { allocatable: gpus(24n), available: gpus(24n) }
  const spread = { paris: { ...paris, largestFit: gpus(4n), nodeFit: gpus(4n) } }

  it.each([
    {
      name: 'of which there is enough, but not on a node',
      clusters: spread,
      telling: {},
      text: 'paris has 24 GPUs free, and no node with 8 at once',
    },
    {
      name: 'to a reader who may see no numbers',
      clusters: spread,
      telling: { numbersOf: () => false },
      text: 'paris has no node with 8 GPUs at once',
    },
    {
      name: 'for which the node may have been granted since',
      clusters: { paris: { ...paris, largestFit: gpus(8n), nodeFit: gpus(0n) } },
      telling: {},
      text: 'paris has 24 GPUs free, and no node with 8 at once until it advertises again',
    },
  ])('$name: $text', ({ clusters, telling, text }) => {
    const ranking = rank(clusters, asked)

    expect(ranking.rows.map((row) => refusalSentence(row, telling))).toEqual([text])
    expect(summarySentence(ranking, { ...telling, aliases: ['gpu'] })).toBe(
      `No cluster can hold 8 gpu on one node for rome: ${text}`,
    )
  })

  it('is told what a node has where sums decide', () => {
    const facts = { available: { cpu: 9_000n, memory: 20n * GIB } }
    const node = { largestFit: { cpu: 1_000n, memory: 15n * GIB } }
    const [row] = rank({ paris: { ...facts, ...node } }).rows

    expect(row).toMatchObject({ verdict: 'chosen', largestNode: { cpu: 1_000n } })
    expect(largestNodeSentence(row?.largestNode ?? {})).toBe('largest free node: 1 CPU')
    expect(largestNodeSentence({ cpu: 1_500n, memory: 2n * GIB, 'nvidia.com/gpu': 1n })).toBe(
      'largest free node: 1.5 CPU, 2Gi memory, 1 GPU',
    )
  })
})

describe('summarySentence', () => {
  const many = { a: {}, b: {}, c: {}, d: {}, berlin: { marks: Mark.stale }, rome: {} }

  it('names the closest and counts the rest, the requester aside', () => {
    expect(summarySentence(rank(many))).toBe(
      'No cluster can hold 8 cpu, 15Gi memory for rome (insufficient capacity): ' +
        'a has 5 cpu and 10Gi memory, b has 5 cpu and 10Gi memory, c has 5 cpu and 10Gi memory (and 2 more)',
    )
  })

  it.each(REFUSAL_CODES.filter((code) => !['IsRequester', 'NotTheTarget'].includes(code)))(
    'names a cluster that was refused as %s',
    (refusal) => {
      const ranking = rank({ paris: {} })
      const rows = ranking.rows.map((row) => ({ ...row, refusal }))

      expect(summarySentence({ ...ranking, rows })).toMatch(/: paris (is|has) /)
    },
  )

  it('says the same when most rows were left out', () => {
    expect(summarySentence(rank(many, {}, 3))).toBe(summarySentence(rank(many)))
  })

  it('tells no number to who may not see it', () => {
    const ranking = rank({ paris: {}, berlin: {} })

    expect(summarySentence(ranking, { numbersOf: (id) => id === 'berlin' })).toBe(
      'No cluster can hold 8 cpu, 15Gi memory for rome (insufficient capacity): ' +
        'berlin has 5 cpu and 10Gi memory, paris has too little cpu or memory',
    )
  })

  it.each([
    {
      name: 'stale',
      clusters: { paris: { marks: Mark.stale } },
      pinned: undefined,
      end: 'No cluster can hold 8 cpu, 15Gi memory for rome: paris is stale',
    },
    {
      name: 'alone',
      clusters: { rome: {} },
      pinned: undefined,
      end: 'No cluster can hold 8 cpu, 15Gi memory for rome: no other cluster has advertised',
    },
    {
      name: 'pinned',
      clusters: { a: {}, paris: {} },
      pinned: 'paris',
      end: 'paris cannot hold 8 cpu, 15Gi memory for rome (insufficient capacity): paris has 5 cpu and 10Gi memory',
    },
    {
      name: 'unknown',
      clusters: { a: {} },
      pinned: 'oslo',
      end: 'oslo cannot hold 8 cpu, 15Gi memory for rome: it is not known here',
    },
    {
      name: 'own',
      clusters: { rome: {} },
      pinned: 'rome',
      end: 'rome cannot hold 8 cpu, 15Gi memory for rome: it is the requester itself',
    },
  ])('$name: $end', ({ clusters, pinned, end }) => {
    expect(summarySentence(rank(clusters, pinned === undefined ? {} : { pinned }))).toBe(end)
  })
})
