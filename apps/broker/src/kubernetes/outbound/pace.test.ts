import { describe, expect, it } from 'vitest'
import { createPace } from './pace.ts'

function aPace(perSecond: number, burst: number) {
  const clock = { now: 0 }
  const slept: number[] = []
  const pace = createPace({
    perSecond: () => perSecond,
    burst: () => burst,
    monotonic: () => clock.now,
    async sleep(ms) {
      slept.push(ms)
      clock.now += ms
    },
  })
  return { pace, clock, slept }
}
const { signal } = new AbortController()

describe('a pace', () => {
  it('lets a burst through at once, and then so many a second', async () => {
    const { pace, slept } = aPace(10, 2)

    for (const _ of [1, 2, 3, 4]) await pace.take(signal)

    expect(slept).toEqual([100, 100])
  })

  it('saves up no more than a burst while nothing happens', async () => {
    const { pace, clock, slept } = aPace(10, 2)
    await pace.take(signal)
    clock.now += 60_000

    for (const _ of [1, 2, 3]) await pace.take(signal)

    expect(slept).toEqual([100])
  })
})
