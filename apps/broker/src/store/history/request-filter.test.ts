import { expect, it } from 'vitest'
import { requestKey } from '../codec/request-key.ts'
import { createRequestFilter } from './request-filter.ts'

const keys = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, nth) =>
    requestKey({ door: 'rest', requester: 'rome', requestId: `${prefix}${nth}` }),
  )

it('never denies a key that it was given', () => {
  const filter = createRequestFilter(0)
  const given = keys('given', 5_000)

  for (const key of given) filter.add(key)

  expect(given.filter((key) => !filter.mayHold(key))).toEqual([])
})

it('is wrong about a fresh key at most twice in a hundred when it is full', () => {
  const filter = createRequestFilter(0)
  for (const key of keys('given', 100_000)) filter.add(key)

  const wrong = keys('fresh', 10_000).filter((key) => filter.mayHold(key))

  expect(wrong.length).toBeLessThan(200)
})

it('says when it is fuller than it was made for', () => {
  const filter = createRequestFilter(0)
  for (const key of keys('given', 90_000)) filter.add(key)
  const before = filter.isFull()

  for (const key of keys('more', 20_000)) filter.add(key)

  expect([before, filter.isFull()]).toEqual([false, true])
})
