import { expect, it } from 'vitest'
import { convertMoney, formatRates, parseRates } from './rates.ts'

it.each([
  { text: 'EUR=1.08', read: 'EUR=1.08' },
  { text: ' GBP = 1.27 , EUR=1.080', read: 'EUR=1.08,GBP=1.27' },
  { text: '# of today\nJPY=0.0067 # yen\n\nEUR=1.08\n', read: 'EUR=1.08,JPY=0.0067' },
  { text: 'credits=12', read: 'credits=12' },
  { text: '', read: '' },
])('reads "$text" as "$read"', ({ text, read }) => {
  const parsed = parseRates(text)

  expect(parsed.kind === 'ok' && formatRates(parsed.rates)).toBe(read)
})

it.each([
  { text: 'EUR', reason: '"EUR" is not a rate' },
  { text: 'EUR=', reason: 'is not a rate' },
  { text: 'EUR=0', reason: 'is not a rate' },
  { text: 'EUR=-1', reason: 'is not a rate' },
  { text: 'EUR=1e3', reason: 'is not a rate' },
  { text: 'EUR=1.0000000001', reason: 'is not a rate' },
  { text: 'EUR=1,EUR=2', reason: '"EUR" has two rates' },
])('refuses "$text": $reason', ({ text, reason }) => {
  expect(parseRates(text)).toEqual({ kind: 'bad', reason: expect.stringContaining(reason) })
})

it.each([
  { money: 50_000_000n, rate: 1_080_000_000n, worth: 54_000_000n }, // 0.05 × 1.08
  { money: 0n, rate: 1_080_000_000n, worth: 0n },
  { money: 1n, rate: 1n, worth: 1n },
])('$money at $rate billionths is $worth', ({ money, rate, worth }) => {
  expect(convertMoney(money, rate)).toBe(worth)
})
