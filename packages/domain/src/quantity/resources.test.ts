import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  add,
  amountOf,
  clampZero,
  equal,
  fits,
  isZero,
  subtract,
  sum,
  withoutZeros,
} from './resources.ts'

describe('resources', () => {
  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'memory'])(
    'have none of %s unless it was put there',
    (name) => {
      expect(amountOf({ cpu: 1n }, name)).toBe(0n)
    },
  )

  it('add up by name, whichever side knows it', () => {
    expect(add({ cpu: 1n, memory: 2n }, { memory: 3n, pods: 4n })).toEqual({
      cpu: 1n,
      memory: 5n,
      pods: 4n,
    })
    expect(sum([{ cpu: 1n }, {}, { cpu: 2n, pods: 1n }])).toEqual({ cpu: 3n, pods: 1n })
  })

  it('go below zero when more is taken than is there, and are shown as none', () => {
    const owed = subtract({ cpu: 1n }, { cpu: 3n, 'nvidia.com/gpu': 1n })

    expect(owed).toEqual({ cpu: -2n, 'nvidia.com/gpu': -1n })
    expect(clampZero(owed)).toEqual({ cpu: 0n, 'nvidia.com/gpu': 0n })
  })

  it.each([
    { name: 'an exact fit', wanted: { cpu: 3n }, available: { cpu: 3n }, expected: true },
    { name: 'one unit more', wanted: { cpu: 4n }, available: { cpu: 3n }, expected: false },
    { name: 'an unknown resource', wanted: { pods: 1n }, available: { cpu: 3n }, expected: false },
    {
      name: 'nothing of what is owed',
      wanted: { cpu: 0n },
      available: { cpu: -1n },
      expected: true,
    },
    {
      name: 'one unit more beyond 2^53',
      wanted: { memory: 2n ** 60n + 1n },
      available: { memory: 2n ** 60n },
      expected: false,
    },
  ])('fit or not: $name', ({ wanted, available, expected }) => {
    expect(fits(wanted, available)).toBe(expected)
  })

  it('are equal when an absent name and a zero are the only difference', () => {
    expect(equal({ cpu: 1n, pods: 0n }, { cpu: 1n, memory: 0n })).toBe(true)
    expect(equal({ cpu: 1n }, { cpu: 1n, memory: 1n })).toBe(false)
    expect(isZero({ cpu: 0n })).toBe(true)
    expect(withoutZeros({ cpu: 0n, pods: 1n })).toEqual({ pods: 1n })
  })

  it('come back when what was taken is returned', () => {
    const names = fc.constantFrom('cpu', 'memory', 'nvidia.com/gpu')
    const resources = fc.dictionary(names, fc.bigInt(-(2n ** 62n), 2n ** 62n))
    fc.assert(
      fc.property(resources, resources, (left, right) => {
        expect(equal(add(subtract(left, right), right), left)).toBe(true)
      }),
    )
  })
})
