import { describe, expect, it } from 'vitest'
import { createBorrowersOf } from './borrowers-of.ts'

const held = [
  { id: 'a1', requester: 'rome', resources: { cpu: 1_000n } },
  { id: 'a2', requester: 'rome', resources: { cpu: 2_000n } },
  { id: 'b1', requester: 'berlin', resources: { cpu: 4_000n } },
]
// The first 12 hex digits of sha256("rome") and sha256("berlin").
const ROME = 'a8a4c692b93b'
const BERLIN = 'fb38a93fd89e'

describe('the borrowers behind a creator user', () => {
  const borrowersOf = createBorrowersOf(() => held)

  it.each([
    { name: 'the reservation that the slice is named after', user: `res-a2-${ROME}`, ids: ['a2'] },
    { name: 'the same without its prefix', user: `a1-${ROME}`, ids: ['a1'] },
    {
      name: 'all of the requester, for a slice that was made by hand',
      user: `paris-${ROME}`,
      ids: ['a1', 'a2'],
    },
    {
      name: 'only those of the requester, for every name of its slice',
      user: `res-a2-${BERLIN}`,
      ids: ['b1'],
    },
    { name: 'none for an unknown user', user: 'res-a2-000000000000', ids: [] },
    { name: 'none for a name without a hash', user: 'rome', ids: [] },
  ])('are $name', ({ user, ids }) => {
    expect(borrowersOf(user).map(({ reservation }) => reservation)).toEqual(ids)
  })

  it('are found by the id that Liqo knows the requester by', () => {
    const named = createBorrowersOf(
      () => held,
      (clusterId) => (clusterId === 'milan' ? 'rome' : undefined),
    )
    const milan = createBorrowersOf(
      () => [{ id: 'c1', requester: 'milan', resources: {} }],
      () => 'rome',
    )

    expect(named(`res-a1-${ROME}`).map(({ reservation }) => reservation)).toEqual(['a1'])
    expect(milan(`res-c1-${ROME}`).map(({ reservation }) => reservation)).toEqual(['c1'])
  })

  it('are the one that a placeholder keeps room for', () => {
    expect(borrowersOf('bourse-placeholder/b1').map(({ reservation }) => reservation)).toEqual([
      'b1',
    ])
    expect(borrowersOf('bourse-placeholder/x')).toEqual([])
  })

  it('come with what they reserved', () => {
    expect(borrowersOf(`res-b1-${BERLIN}`)).toEqual([
      { reservation: 'b1', resources: { cpu: 4_000n } },
    ])
  })
})
