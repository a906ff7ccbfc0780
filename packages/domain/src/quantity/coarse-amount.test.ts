import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { coarseAmount } from './coarse-amount.ts'

describe('coarseAmount', () => {
  it.each([
    {
      name: 'cpu',
      amounts: [0n, 124n, 125n, 499n, 500n, 999n, 1_499n, 1_500n, 2_999n, 37_300n],
      coarse: [0n, 0n, 125n, 375n, 500n, 750n, 1_000n, 1_500n, 2_000n, 32_000n],
    },
    {
      name: 'nvidia.com/gpu',
      amounts: [0n, 1n, 2n, 3n, 4n, 5n, 7n, 8n, 11n, 12n],
      coarse: [0n, 1n, 2n, 3n, 4n, 4n, 6n, 8n, 8n, 12n],
    },
    {
      name: 'memory',
      amounts: [-5n, 2n ** 33n - 1n, 2n ** 33n, 2n ** 63n - 1n],
      coarse: [0n, 3n * 2n ** 31n, 2n ** 33n, 3n * 2n ** 61n],
    },
  ])('rounds $name down to its grid', ({ name, amounts, coarse }) => {
    expect(amounts.map((amount) => coarseAmount(name, amount))).toEqual(coarse)
  })

  const name = fc.constantFrom('cpu', 'memory', 'nvidia.com/gpu')
  const amount = fc.bigInt(0n, 2n ** 63n - 1n)

  it('never rounds up, never by more than a third beyond the smallest step', () => {
    fc.assert(
      fc.property(name, amount, (one, exact) => {
        const coarse = coarseAmount(one, exact)

        expect(coarse <= exact).toBe(true)
        expect(3n * coarse + 375n > 2n * exact).toBe(true)
      }),
    )
  })

  it('keeps the order, and what is on the grid stays where it is', () => {
    fc.assert(
      fc.property(name, amount, amount, (one, left, right) => {
        const [less, more] = left < right ? [left, right] : [right, left]

        expect(coarseAmount(one, less) <= coarseAmount(one, more)).toBe(true)
        expect(coarseAmount(one, coarseAmount(one, less))).toBe(coarseAmount(one, less))
      }),
    )
  })
})
