import { expect, it } from 'vitest'
import { createWorkingTime } from './working-time.ts'

it('passes as the clock does, but not while the process was held up', () => {
  let clock = 5_000
  const time = createWorkingTime(() => clock, 1_000)
  const seen = [time.now()]

  for (clock of [5_600, 6_200, 16_200, 16_700]) {
    time.tick()
    seen.push(time.now())
  }

  expect(seen).toEqual([0, 600, 1_200, 2_200, 2_700])
})
