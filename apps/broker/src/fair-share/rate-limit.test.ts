import { describe, expect, it } from 'vitest'
import { createRateLimit } from './rate-limit.ts'

function aClock() {
  const clock = { at: 0 }
  return { clock, now: () => clock.at }
}

describe('createRateLimit', () => {
  it('lets a burst through, then says how long to wait', () => {
    const { now } = aClock()
    const rate = createRateLimit({ perSecond: 0.5, burst: 2 }, now)

    const waits = [rate.take('rome'), rate.take('rome'), rate.take('rome')]

    expect(waits).toEqual([undefined, undefined, 2])
  })

  it('fills up again with time, to the burst and no further', () => {
    const { clock, now } = aClock()
    const rate = createRateLimit({ perSecond: 10, burst: 1 }, now)
    rate.take('rome')
    clock.at += 60_000

    const waits = [rate.take('rome'), rate.take('rome')]

    expect(waits).toEqual([undefined, 1])
  })

  it('charges work by its time', () => {
    const { now } = aClock()
    const rate = createRateLimit({ perSecond: 100, burst: 100 }, now)

    rate.charge('rome', 12) // 12 ms are 120 requests: 20 more than there were

    expect(rate.take('rome')).toBe(1)
    expect(rate.take('paris')).toBeUndefined()
  })

  it('asks for the whole price before something dear, and for a burst at most', () => {
    const { clock, now } = aClock()
    const rate = createRateLimit({ perSecond: 100, burst: 200 }, now)

    const first = rate.take('rome', 150)
    const second = rate.take('rome', 150)
    clock.at += 2_000
    const dearerThanABurst = rate.take('rome', 1_000)

    expect([first, second, dearerThanABurst]).toEqual([undefined, 1, undefined])
    // The debt has a floor, so that what cost a thousand is not paid for ten seconds.
    expect(rate.take('rome')).toBe(3)
  })

  it('does nothing when it is off', () => {
    const rate = createRateLimit(undefined, () => 0)

    expect(rate.take('rome')).toBeUndefined()
  })
})
