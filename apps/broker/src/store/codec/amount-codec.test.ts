import { expect, it } from 'vitest'
import { decodeAmount, decodeResources, encodeAmount, encodeResources } from './amount-codec.ts'

it.each([
  { name: 'nothing', amount: 0n, stored: 0 },
  {
    name: 'the largest number that a double holds exactly',
    amount: 2n ** 53n - 1n,
    stored: 9007199254740991,
  },
  { name: 'one more than that', amount: 2n ** 53n, stored: '9007199254740992' },
  { name: 'the largest quantity', amount: 2n ** 63n - 1n, stored: '9223372036854775807' },
  { name: 'what is overcommitted', amount: -5n, stored: -5 },
])('writes $name so that JSON cannot round it', ({ amount, stored }) => {
  expect(encodeAmount(amount)).toBe(stored)
  expect(decodeAmount(stored)).toBe(amount)
})

it('takes a resource called __proto__ for an ordinary one', () => {
  const odd = Object.fromEntries([['__proto__', 1n]])

  expect(Object.entries(decodeResources(encodeResources(odd)))).toEqual([['__proto__', 1n]])
})
