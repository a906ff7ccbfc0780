import { describe, expect, it } from 'vitest'
import { createRateLimit } from './rate-limit.ts'
import { createSignOfLife } from './sign-of-life.ts'

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

    rate.charge('rome', 30) // 30 ms are 120 requests: 20 more than there were

    expect(rate.take('rome')).toBe(1)
    expect(rate.take('paris')).toBeUndefined()
  })

  it('does nothing when it is off', () => {
    const rate = createRateLimit(undefined, () => 0)

    expect(rate.take('rome')).toBeUndefined()
  })
})

describe('createSignOfLife', () => {
  it('passes a caller on at most once in five seconds', () => {
    const { clock, now } = aClock()
    const heard: string[] = []
    const hear = createSignOfLife((id) => heard.push(id), now)

    hear('rome')
    hear('rome')
    hear('paris')
    clock.at += 5_000
    hear('rome')

    expect(heard).toEqual(['rome', 'paris', 'rome'])
  })
})
