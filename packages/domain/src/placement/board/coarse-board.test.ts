import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { coarseAmount } from '../../quantity/coarse-amount.ts'
import { createPlacement } from '../decide.ts'
import { refusalSentence } from '../decision/explain-sentence.ts'
import { defaultPolicy } from '../scorers/policy.ts'
import { coarseBoard, coarseRefusals } from './coarse-board.ts'
import { createBoard } from './create-board.ts'

const placement = createPlacement(defaultPolicy)
const GIB = 2n ** 30n

type Figures = Readonly<{ cpu: bigint; memory: bigint; size: bigint; liveCount: number }>

/** paris hides its numbers, open is a cluster of the asker, who may choose its numbers freely. */
function ranked(paris: Figures, open: Figures, wanted: Readonly<Record<string, bigint>>) {
  const board = createBoard()
  for (const [clusterId, { cpu, memory, size, liveCount }] of Object.entries({ paris, open })) {
    const allocatable = { cpu: cpu + size, memory: memory + size * GIB }
    board.place(clusterId, { marks: 0, liveCount, allocatable, available: { cpu, memory } })
  }
  const coarse = coarseBoard(board, (clusterId) => clusterId === 'paris')
  return placement.rank(coarse, { requester: 'rome', wanted })
}

const figures = fc.record({
  cpu: fc.bigInt(-2_000n, 200_000n),
  memory: fc.bigInt(0n, 2n ** 40n),
  size: fc.bigInt(0n, 100_000n),
  liveCount: fc.nat(5),
})
const wanted = fc.record({ cpu: fc.bigInt(1n, 200_000n), memory: fc.bigInt(1n, 2n ** 40n) })

describe('a ranking for a reader that may not see the numbers', () => {
  it('is a function of the coarse amounts alone, for any request', () => {
    fc.assert(
      fc.property(figures, figures, wanted, (paris, open, asked) => {
        const cpu = coarseAmount('cpu', paris.cpu)
        const memory = coarseAmount('memory', paris.memory)
        const allCpu = coarseAmount('cpu', paris.cpu + paris.size)
        const board = ranked(paris, open, asked)
        const twin = createBoard()
        const free = { cpu, memory }
        const allMemory = coarseAmount('memory', paris.memory + paris.size * GIB)
        twin.place('paris', {
          marks: 0,
          liveCount: 0,
          available: free,
          allocatable: { cpu: allCpu, memory: allMemory },
        })
        twin.place('open', {
          marks: 0,
          liveCount: open.liveCount,
          allocatable: { cpu: open.cpu + open.size, memory: open.memory + open.size * GIB },
          available: { cpu: open.cpu, memory: open.memory },
        })

        const same = placement.rank(twin, { requester: 'rome', wanted: asked })

        expect(board.rows.map(({ isCoarse: _, ...row }) => row)).toEqual(same.rows)
      }),
      { numRuns: 300 },
    )
  })

  it('does not tell by a tie how many reservations a hidden cluster holds', () => {
    const one = { cpu: 8_000n, memory: 8n * GIB, size: 0n, liveCount: 0 }
    const orderWith = (liveCount: number) =>
      ranked({ ...one, liveCount }, { ...one, liveCount: 5 }, { cpu: 1_000n }).rows.map(
        ({ clusterId }) => clusterId,
      )

    expect(orderWith(9)).toEqual(orderWith(0))
  })

  it('says which rows are coarse, and leaves the numbers of others as they are', () => {
    const one = { cpu: 37_300n, memory: 5n * GIB, size: 1_000n, liveCount: 0 }

    const { rows } = ranked(one, one, { cpu: 1_000n })

    expect(rows).toMatchObject([
      { clusterId: 'paris', isCoarse: true, available: { cpu: 32_000n, memory: 4n * GIB } },
      { clusterId: 'open', available: { cpu: 37_300n, memory: 5n * GIB } },
    ])
    expect(rows[1]).not.toHaveProperty('isCoarse')
  })

  it('tells of a refusal only what coarse amounts tell', () => {
    const board = createBoard()
    const supply = { cpu: 5_000n, memory: 9n * GIB }
    board.place('paris', { marks: 0, liveCount: 0, allocatable: supply, available: supply })
    const asked = { cpu: 4_500n, memory: 10n * GIB }
    const exact = placement.rank(board, { requester: 'rome', wanted: asked })

    const { rows } = coarseRefusals(exact, () => true)

    // It has 5 cores, which is enough; told is that it has at least 4.
    expect(exact.rows[0]?.shortfalls?.map(({ resource }) => resource)).toEqual(['memory'])
    expect(rows).toMatchObject([
      {
        isCoarse: true,
        shortfalls: [
          { resource: 'cpu', wanted: 4_500n, available: 4_000n },
          { resource: 'memory', wanted: 10n * GIB, available: 8n * GIB },
        ],
      },
    ])
  })

  it.each([
    { request: 'that no sum covers', wanted: { pods: 1n }, oneNode: {} },
    { request: 'for one node', wanted: { memory: 5n * GIB }, oneNode: { oneNode: true } as const },
  ])('tells by a refusal $request nothing of the nodes', ({ wanted, oneNode }) => {
    const toldOf = (onNode: bigint) => {
      const board = createBoard()
      const supply = { cpu: 64_000n, memory: 64n * GIB }
      const node = { cpu: onNode, memory: 4n * GIB }
      const facts = { allocatable: supply, available: supply, largestFit: node, nodeFit: node }
      board.place('paris', { marks: 0, liveCount: 0, ...facts })
      const asked = { cpu: 6_000n, ...wanted }
      const exact = placement.rank(board, { requester: 'rome', wanted: asked, ...oneNode })
      const [row] = coarseRefusals(exact, () => true).rows
      return { row, sentence: row && refusalSentence(row) }
    }

    expect(toldOf(5_900n).row).toMatchObject({ verdict: 'refused', isCoarse: true })
    expect(toldOf(5_900n)).toEqual(toldOf(6_000n))
  })
})
