import { describe, expect, it } from 'vitest'
import { refusedBy } from '../../../fixtures/placement/filters/filter.ts'
import { fits } from './fits-filter.ts'

describe('the filter of clusters in which a request does not fit', () => {
  it.each([
    { name: 'refuses one that is a unit short', available: { cpu: 999n }, isRefused: true },
    { name: 'refuses one that owes', available: { cpu: -1n }, isRefused: true },
    {
      name: 'refuses one that does not have it at all',
      available: { memory: 9n },
      isRefused: true,
    },
    { name: 'takes an exact fit', available: { cpu: 1_000n }, isRefused: false },
  ])('$name', ({ available, isRefused }) => {
    const refused = refusedBy(fits, { paris: { available }, berlin: {} })

    expect(refused).toEqual(isRefused ? { paris: 'Insufficient' } : {})
  })

  it('wants all of what is asked for, and nothing of what is not', () => {
    const clusters = {
      paris: { available: { cpu: 1n, memory: 0n } },
      berlin: { available: { cpu: 1n, memory: 1n } },
      oslo: { available: { cpu: 0n, memory: 0n } },
    }

    expect(refusedBy(fits, clusters, { wanted: { cpu: 1n, memory: 1n } })).toEqual({
      paris: 'Insufficient',
      oslo: 'Insufficient',
    })
    expect(refusedBy(fits, clusters, { wanted: { cpu: 0n } })).toEqual({})
  })

  it.each([3n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 62n + 1n, 2n ** 63n - 1n])(
    'accepts an exact fit of %s and refuses one unit more',
    (amount) => {
      const clusters = { paris: { allocatable: { memory: amount } } }

      expect(refusedBy(fits, clusters, { wanted: { memory: amount } })).toEqual({})
      expect(refusedBy(fits, clusters, { wanted: { memory: amount + 1n } })).toEqual({
        paris: 'Insufficient',
      })
    },
  )
})
