import { describe, expect, it } from 'vitest'
import { nextChanges, type Piece, piecesOf, roomFor } from './pieces.ts'

const GIB = 1024n ** 3n
const aPiece = (name: string, node: string | undefined, amounts: Piece['amounts']): Piece => ({
  name,
  node,
  amounts,
})

describe('the pieces of a reservation', () => {
  it.each([
    {
      name: 'one where it is small',
      amounts: { cpu: 2_000n, memory: 4n * GIB, pods: 10n },
      pieces: [{ cpu: 2_000n, memory: 4n * GIB }],
    },
    {
      name: 'one a GPU, with its part of cores and memory',
      amounts: { cpu: 3_000n, memory: 8n * GIB, 'nvidia.com/gpu': 2n },
      pieces: [
        { cpu: 1_500n, memory: 4n * GIB, 'nvidia.com/gpu': 1n },
        { cpu: 1_500n, memory: 4n * GIB, 'nvidia.com/gpu': 1n },
      ],
    },
    {
      name: 'small enough to find a node, and together all of it',
      amounts: { cpu: 9_001n },
      pieces: [{ cpu: 3_001n }, { cpu: 3_000n }, { cpu: 3_000n }],
    },
    { name: 'none of nothing', amounts: { pods: 10n }, pieces: [] },
  ])('are $name', ({ amounts, pieces }) => {
    expect(piecesOf(amounts)).toEqual(pieces)
  })

  it('are not more than a hundred', () => {
    expect(piecesOf({ cpu: 4_000_000n })).toHaveLength(100)
  })
})

describe('room for a pod', () => {
  const pieces = [
    aPiece('a', 'n1', { cpu: 1_000n, 'nvidia.com/gpu': 1n }),
    aPiece('b', 'n2', { cpu: 1_000n, 'nvidia.com/gpu': 1n }),
    aPiece('c', 'n2', { cpu: 1_000n, 'nvidia.com/gpu': 1n }),
    aPiece('d', undefined, { cpu: 9_000n, 'nvidia.com/gpu': 9n }),
  ]

  it.each([
    { name: 'one piece', asked: { cpu: 500n, 'nvidia.com/gpu': 1n }, room: ['a'] },
    { name: 'several of one node', asked: { cpu: 1_500n }, room: ['b', 'c'] },
    { name: 'what is left of it beside other things', asked: { cpu: 1n, memory: 5n }, room: ['a'] },
    { name: 'none where no node has enough', asked: { 'nvidia.com/gpu': 3n }, room: [] },
    { name: 'none for what was never reserved', asked: { 'amd.com/gpu': 1n }, room: [] },
  ])('is $name', ({ asked, room }) => {
    expect(roomFor({ ...asked, pods: 1n }, pieces).map(({ name }) => name)).toEqual(room)
  })
})

describe('the next changes', () => {
  const one = aPiece('a', 'n1', { cpu: 2_000n, 'nvidia.com/gpu': 1n })

  it.each([
    { name: 'are none while all is kept', wanted: one.amounts, pieces: [one], changes: [] },
    {
      name: 'add what is missing',
      wanted: { cpu: 3_000n, 'nvidia.com/gpu': 1n },
      pieces: [one],
      changes: [{ kind: 'add', amounts: { cpu: 1_000n, 'nvidia.com/gpu': 0n } }],
    },
    {
      name: 'remove a piece that is not wanted at all',
      wanted: {},
      pieces: [one],
      changes: [{ kind: 'remove', piece: one }],
    },
    {
      name: 'shrink a piece of which a part is used',
      wanted: { cpu: 500n, 'nvidia.com/gpu': 1n },
      pieces: [one],
      changes: [{ kind: 'shrink', piece: one, amounts: { cpu: 500n, 'nvidia.com/gpu': 1n } }],
    },
  ])('$name', ({ wanted, pieces, changes }) => {
    expect(nextChanges(wanted, pieces)).toEqual(changes)
  })
})
