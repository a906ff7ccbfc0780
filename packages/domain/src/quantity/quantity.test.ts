import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatQuantity, parseQuantity, type Unit } from './quantity.ts'

const whole = { unit: 'whole', round: 'down' } as const
const milli = { unit: 'milli', round: 'down' } as const

describe('parseQuantity', () => {
  it.each([
    { text: '0', amount: 0n },
    { text: '7', amount: 7n },
    { text: '+7', amount: 7n },
    { text: '007', amount: 7n },
    { text: '5.', amount: 5n },
    { text: '1k', amount: 1_000n },
    { text: '129e6', amount: 129_000_000n },
    { text: '129M', amount: 129_000_000n },
    { text: '1E3', amount: 1_000n },
    { text: '1e+3', amount: 1_000n },
    { text: '12000e-3', amount: 12n },
    { text: '2E', amount: 2_000_000_000_000_000_000n }, // exa, not an exponent
    { text: '1.5Gi', amount: 1_610_612_736n }, // 1.5 × 2^30
    { text: '8025424Ki', amount: 8_218_034_176n }, // 8,025,424 × 1,024
    { text: '7Ei', amount: 8_070_450_532_247_928_832n }, // 7 × 2^60
    { text: '0e99', amount: 0n },
    { text: '9223372036854775807', amount: 9_223_372_036_854_775_807n }, // 2^63 − 1
    { text: '4000m', amount: 4n },
  ])('reads $text as $amount whole units', ({ text, amount }) => {
    expect(parseQuantity(text, whole)).toEqual({ kind: 'ok', amount, exact: true })
  })

  it.each([
    { text: '500m', amount: 500n },
    { text: '0.1', amount: 100n },
    { text: '.5', amount: 500n },
    { text: '2', amount: 2_000n },
    { text: '1500000u', amount: 1_500n },
    { text: '2000000n', amount: 2n },
  ])('reads $text as $amount thousandths', ({ text, amount }) => {
    expect(parseQuantity(text, milli)).toEqual({ kind: 'ok', amount, exact: true })
  })

  it.each([
    { text: '1.5', unit: 'whole', round: 'down', amount: 1n },
    { text: '1.5', unit: 'whole', round: 'up', amount: 2n },
    { text: '1n', unit: 'milli', round: 'down', amount: 0n },
    { text: '1n', unit: 'milli', round: 'up', amount: 1n },
    { text: '0.0005', unit: 'milli', round: 'up', amount: 1n },
    { text: '1e-99', unit: 'whole', round: 'up', amount: 1n },
  ] as const)('rounds $text in $unit units $round to $amount', ({ text, amount, ...how }) => {
    expect(parseQuantity(text, how)).toEqual({ kind: 'ok', amount, exact: false })
  })

  it.each([
    { text: '', reason: 'missing' },
    { text: '-1', reason: 'is negative' },
    { text: '-0.5Gi', reason: 'is negative' },
    { text: 'lots', reason: 'is not a quantity' },
    { text: '.', reason: 'is not a quantity' },
    { text: 'Gi', reason: 'is not a quantity' },
    { text: '1 Gi', reason: 'is not a quantity' },
    { text: ' 1', reason: 'is not a quantity' },
    { text: '1\n', reason: 'is not a quantity' },
    { text: '1,5', reason: 'is not a quantity' },
    { text: '1e3Gi', reason: 'is not a quantity' },
    { text: '0x10', reason: 'is not a quantity' },
    { text: '١', reason: 'is not a quantity' },
    { text: '1K', reason: 'unknown suffix "K"' },
    { text: '1gi', reason: 'unknown suffix "gi"' },
    { text: 'NaN', reason: 'is not a quantity' },
    { text: '8Ei', reason: 'too large' }, // 2^63
    { text: '9223372036854775808', reason: 'too large' },
    { text: '1e99', reason: 'too large' },
    { text: '1e999999999', reason: 'exponent beyond ±99' },
    { text: '1e-999999999', reason: 'exponent beyond ±99' },
    { text: '9'.repeat(65), reason: 'longer than 64 characters' },
  ])('refuses $text: $reason', ({ text, reason }) => {
    expect(parseQuantity(text, whole)).toEqual({
      kind: 'bad',
      reason: expect.stringContaining(reason),
    })
  })

  it('never rounds up below, nor rounds down above, the written amount', () => {
    fc.assert(
      fc.property(
        fc.bigInt(0n, 10n ** 18n),
        fc.integer({ min: 0, max: 12 }),
        (digits, exponent) => {
          const text = `${digits}e-${exponent}`
          const down = parseQuantity(text, { unit: 'whole', round: 'down' })
          const up = parseQuantity(text, { unit: 'whole', round: 'up' })

          const scale = 10n ** BigInt(exponent)
          expect(down).toMatchObject({ amount: digits / scale })
          expect(up).toMatchObject({ amount: (digits + scale - 1n) / scale })
        },
      ),
    )
  })

  it('answers any text at all, and never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(['ok', 'bad']).toContain(parseQuantity(text, whole).kind)
      }),
    )
  })
})

describe('formatQuantity', () => {
  it.each([
    { amount: 0n, unit: 'whole', text: '0' },
    { amount: 0n, unit: 'milli', text: '0' },
    { amount: 2_000n, unit: 'milli', text: '2' },
    { amount: 1_500n, unit: 'milli', text: '1500m' },
    { amount: 4_294_967_296n, unit: 'whole', text: '4Gi' },
    { amount: 8_218_034_176n, unit: 'whole', text: '8025424Ki' },
    { amount: 129_000_000n, unit: 'whole', text: '129M' },
    { amount: 1_024_000n, unit: 'whole', text: '1024k' }, // shorter than 1000Ki
    { amount: 10_027_008_000_000n, unit: 'whole', text: '9562500Mi' }, // as short as 10027008M
    { amount: 1_023n, unit: 'whole', text: '1023' },
    { amount: 7n * 1024n ** 6n, unit: 'whole', text: '7Ei' },
    { amount: -1_500n, unit: 'milli', text: '-1500m' },
  ] as const)('prints $amount $unit as $text', ({ amount, unit, text }) => {
    expect(formatQuantity(amount, unit)).toBe(text)
  })

  it('prints what parses to the same amount', () => {
    const units = fc.constantFrom<Unit>('milli', 'whole')
    const amounts = fc.oneof(
      fc.bigInt(0n, 2n ** 63n - 1n),
      fc.bigInt(0n, 2_000n).map((count) => count * 2n ** 30n),
      fc.bigInt(0n, 2_000n).map((count) => count * 10n ** 9n),
    )
    fc.assert(
      fc.property(amounts, units, (amount, unit) => {
        const printed = formatQuantity(amount, unit)

        expect(parseQuantity(printed, { unit, round: 'up' })).toEqual({
          kind: 'ok',
          amount,
          exact: true,
        })
      }),
    )
  })
})
