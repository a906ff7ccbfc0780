import { describe, expect, it } from 'vitest'
import { createBrokerClock } from './broker-clock.ts'

describe('the broker clock', () => {
  it.each([
    {
      name: 'starts at the wall clock when the journal is older',
      journaled: 500,
      wall: 1_000,
      now: 1_000,
    },
    {
      name: 'starts at the journal when the wall clock was set back',
      journaled: 3_600_000,
      wall: 1_000,
      now: 3_600_000,
    },
  ])('$name', ({ journaled, wall, now }) => {
    const clock = createBrokerClock(journaled, { wallClock: () => wall, monotonic: () => 7 })

    expect(clock.now()).toBe(now)
  })

  it('follows what has passed, not a wall clock that jumps; the jump is reported', () => {
    let wall = 10_000
    let passed = 0
    const clock = createBrokerClock(0, { wallClock: () => wall, monotonic: () => passed })

    passed = 250
    wall = 10_250 - 3_600_000

    expect(clock.now()).toBe(10_250)
    expect(clock.skewMs()).toBe(-3_600_000)
  })
})
