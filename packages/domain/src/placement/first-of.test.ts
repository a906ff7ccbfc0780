import fc from 'fast-check'
import { expect, it } from 'vitest'
import { firstOf } from './first-of.ts'

it('takes the same first ones whether it inserts or sorts', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer()), fc.integer({ min: 0, max: 60 }), (keys, max) => {
      const first = firstOf(
        keys.length,
        max,
        (left, right) => (keys[left] ?? 0) < (keys[right] ?? 0),
      )

      const sorted = keys.toSorted((left, right) => left - right)
      expect(first.map((at) => keys[at])).toEqual(sorted.slice(0, max))
    }),
  )
})
