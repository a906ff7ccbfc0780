import fc from 'fast-check'
import { expect, it } from 'vitest'
import { firstOf } from './first-of.ts'

it.each([true, false])(
  'takes the same first ones however it goes about it (ranks: %s)',
  (ranked) => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer()), fc.integer({ min: 0, max: 60 }), (keys, max) => {
        const first = firstOf({
          count: keys.length,
          max,
          isBefore: (left, right) => (keys[left] ?? 0) > (keys[right] ?? 0),
          ...(ranked && { ranks: Float64Array.from(keys) }),
        })

        const sorted = keys.toSorted((left, right) => right - left)
        expect(first.map((at) => keys[at])).toEqual(sorted.slice(0, max))
      }),
    )
  },
)
