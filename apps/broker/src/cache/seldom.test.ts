import { expect, it } from 'vitest'
import { createSeldom } from './seldom.ts'

it('is due once in a while for each sender', () => {
  let now = 0
  const isDue = createSeldom(10_000, () => now)

  const first = [isDue('rome'), isDue('rome'), isDue('paris')]
  now = 9_999
  const early = isDue('rome')
  now = 10_000
  const later = isDue('rome')

  expect([...first, early, later]).toEqual([true, false, true, false, true])
})
