import { expect, it } from 'vitest'
import { serverTimeOf } from './exchange.ts'

it.each([
  { name: 'equal clocks', asked: 10_000, answered: 10_000, offsetMs: 500, uncertaintyMs: 500 },
  { name: 'a slow answer', asked: 9_000, answered: 11_000, offsetMs: 500, uncertaintyMs: 1_500 },
  { name: 'we are behind', asked: 2_000, answered: 2_200, offsetMs: 8_400, uncertaintyMs: 600 },
])('knows how far the clocks are apart: $name', ({ asked, answered, offsetMs, uncertaintyMs }) => {
  const date = new Date(10_000).toUTCString()

  expect(serverTimeOf(date, asked, answered)).toEqual({ offsetMs, uncertaintyMs })
})

it('learns no time from an answer without a date', () => {
  expect(serverTimeOf(undefined, 1, 2)).toBeUndefined()
})
