import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatMoney, parseMoney } from './money.ts'

describe('money', () => {
  it.each([
    { text: '0', money: 0n },
    { text: '0.045', money: 45_000_000n },
    { text: '12', money: 12_000_000_000n },
    { text: '0.000000001', money: 1n },
    { text: '1.50', money: 1_500_000_000n },
  ])('reads $text as $money billionths', ({ text, money }) => {
    expect(parseMoney(text)).toEqual({ kind: 'ok', money })
  })

  it.each([
    { text: '', reason: 'is not an amount of money' },
    { text: '-1', reason: 'is negative' },
    { text: '1e3', reason: 'is not an amount of money' },
    { text: '.5', reason: 'is not an amount of money' },
    { text: '€5', reason: 'is not an amount of money' },
    { text: '0.0000000001', reason: 'more than 9 digits' },
    { text: '1000000000', reason: 'too large' },
    { text: '9'.repeat(1_000_000), reason: 'is not an amount of money' },
  ])('refuses $text: $reason', ({ text, reason }) => {
    expect(parseMoney(text)).toEqual({ kind: 'bad', reason: expect.stringContaining(reason) })
  })

  it('prints the shortest decimal, which reads as the same money', () => {
    expect(formatMoney(1_500_000_000n)).toBe('1.5')
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 18n - 1n), (money) => {
        expect(parseMoney(formatMoney(money))).toEqual({ kind: 'ok', money })
      }),
    )
  })
})
