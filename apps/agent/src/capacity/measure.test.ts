import { describe, expect, it } from 'vitest'
import { aCountedNode, aShare } from '../../fixtures/capacity/capacity.ts'
import { measure } from '../../fixtures/capacity/measure.ts'
import { ALL } from './amounts.ts'
import type { BorrowersOf } from './borrowers.ts'

const noBorrower: BorrowersOf = () => []

describe('measure', () => {
  it('adds up the counted nodes and the pods on them, and tells the largest fit', () => {
    const nodes = [
      aCountedNode('n1', { memory: 100n }),
      aCountedNode('n2', { memory: 100n, 'nvidia.com/gpu': 2n }),
    ]
    const pods = [
      aShare('n1', { cpu: 3_000n, memory: 90n }),
      aShare('n2', { cpu: 6_000n, memory: 20n, 'nvidia.com/gpu': 1n }),
    ]

    expect(measure({ nodes, pods }, noBorrower)).toEqual({
      capacity: { cpu: 16_000n, memory: 200n, 'nvidia.com/gpu': 2n, pods: 220n },
      allocatable: { cpu: 16_000n, memory: 200n, 'nvidia.com/gpu': 2n, pods: 220n },
      allocated: { cpu: 9_000n, memory: 110n, 'nvidia.com/gpu': 1n, pods: 2n },
      largestFit: { cpu: 5_000n, memory: 80n, 'nvidia.com/gpu': 1n, pods: 109n },
      used: new Map(),
      gpuModels: {},
      nodes: 2,
      nodesLeftOut: {},
      problems: [],
    })
  })

  it('has an answer for a cluster without nodes', () => {
    const nothing = { cpu: 0n, memory: 0n }

    expect(measure({ nodes: [], pods: [] }, noBorrower)).toEqual({
      capacity: nothing,
      allocatable: nothing,
      allocated: nothing,
      largestFit: nothing,
      used: new Map(),
      gpuModels: {},
      nodes: 0,
      nodesLeftOut: {},
      problems: [],
    })
  })

  it('counts neither nodes that are left out nor what runs on them', () => {
    const nodes = [
      aCountedNode('n1'),
      aCountedNode('rome', {}, { leftOut: 'VirtualNode' }),
      aCountedNode('n2', {}, { leftOut: 'Cordoned', problem: 'Node n2 is odd.' }),
      aCountedNode('n3', {}, { leftOut: 'Cordoned' }),
    ]
    const pods = [
      aShare('rome', { cpu: 2_000n }, { creatorUser: 'berlin', problem: 'Pod a is odd.' }),
      aShare('gone', { cpu: 2_000n }),
    ]
    const borrowers = () => [{ reservation: 'r1', resources: {} }]

    expect(measure({ nodes, pods }, borrowers)).toMatchObject({
      allocatable: { cpu: 8_000n },
      allocated: { cpu: 0n },
      used: new Map(),
      nodes: 1,
      nodesLeftOut: { Cordoned: 2, VirtualNode: 1 },
      problems: [],
    })
  })

  it('hides nothing of a node behind another that owes more than it has', () => {
    const nodes = [aCountedNode('n1'), aCountedNode('n2')]
    const pods = [aShare('n1', { cpu: 12_000n }), aShare('n2', { cpu: 1_000n })]

    expect(measure({ nodes, pods }, noBorrower)).toMatchObject({
      allocatable: { cpu: 16_000n },
      allocated: { cpu: 9_000n }, // 8 of n1, which is all it has, and 1 of n2
      largestFit: { cpu: 7_000n },
    })
  })

  it('has nothing free on a node without a slot for one more pod', () => {
    const nodes = [aCountedNode('n1', { pods: 1n }), aCountedNode('n2', { pods: 0n })]
    const pods = [aShare('n1', { cpu: 1_000n })]

    expect(measure({ nodes, pods }, noBorrower)).toMatchObject({
      allocated: { cpu: 16_000n, pods: 1n },
      largestFit: { cpu: 0n, pods: 0n },
    })
  })

  it('does not mistake ten nodes with a core each for one with ten', () => {
    const nodes = Array.from({ length: 10 }, (_, at) => aCountedNode(`n${at}`, { cpu: 1_000n }))

    expect(measure({ nodes, pods: [] }, noBorrower)).toMatchObject({
      allocatable: { cpu: 10_000n },
      largestFit: { cpu: 1_000n },
    })
  })

  it('tells what the pods of a reservation take, which is in allocated, too', () => {
    const nodes = [aCountedNode('n1'), aCountedNode('n2')]
    const pods = [
      aShare('n1', { cpu: 1_000n }, { creatorUser: 'res-1-of-rome' }),
      aShare('n2', { cpu: 2_000n }, { creatorUser: 'res-1-of-rome' }),
      aShare('n2', { cpu: 4_000n }, { creatorUser: 'unknown' }),
    ]
    const borrowers: BorrowersOf = (user) =>
      user === 'res-1-of-rome' ? [{ reservation: 'r1', resources: { cpu: 4_000n } }] : []

    expect(measure({ nodes, pods }, borrowers)).toMatchObject({
      allocated: { cpu: 7_000n },
      used: new Map([['r1', { cpu: 3_000n, pods: 2n }]]),
    })
  })

  it('takes an amount that cannot be read from its node alone, and from no hold', () => {
    const nodes = [aCountedNode('n1'), aCountedNode('n2')]
    const odd = { creatorUser: 'rome', problem: 'Pod shop/cart is odd.' }
    const pods = [aShare('n1', { cpu: ALL }, odd), aShare('n1', { cpu: ALL }, odd)]
    const borrowers = () => [{ reservation: 'r1', resources: {} }]

    expect(measure({ nodes, pods }, borrowers)).toMatchObject({
      allocated: { cpu: 8_000n },
      used: new Map([['r1', { pods: 2n }]]),
      problems: ['Pod shop/cart is odd.', 'Pod shop/cart is odd.'],
    })
  })

  it('adds up GPUs by model', () => {
    const a100 = { gpuModels: [{ model: 'A100', count: 4 }] }
    const t4 = { gpuModels: [{ model: 'T4', count: 1 }], leftOut: 'NotReady' } as const
    const nodes = [
      aCountedNode('n1', {}, a100),
      aCountedNode('n2', {}, a100),
      aCountedNode('n3', {}, t4),
    ]

    expect(measure({ nodes, pods: [] }, noBorrower).gpuModels).toEqual({ A100: 8 })
  })

  it('tells at most 64 names, and says which are missing', () => {
    const names = Array.from({ length: 70 }, (_, at) => `example.com/r${at + 10}`)
    const node = aCountedNode('n1', Object.fromEntries(names.map((name) => [name, 1n])))

    const { capacity, problems } = measure({ nodes: [node], pods: [] }, noBorrower)

    expect(Object.keys(capacity)).toHaveLength(64)
    expect(capacity).toMatchObject({ cpu: 8_000n, memory: 0n, pods: 110n })
    expect(problems).toEqual([
      'The nodes have 73 kinds of resources; 64 are advertised, those from example.com/r71 on are not.',
    ])
  })

  it('names twenty problems and counts the rest', () => {
    const odd = Array.from({ length: 25 }, (_, at) =>
      aShare('n1', {}, { problem: `Pod ${at + 10} is odd.` }),
    )

    const { problems } = measure({ nodes: [aCountedNode('n1')], pods: odd }, noBorrower)

    expect(problems).toHaveLength(21)
    expect(problems.at(-1)).toBe('… and 5 more problems.')
  })
})
